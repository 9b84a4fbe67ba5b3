/* Execution-point ids, for programs and tools that run inside a program built by `culprit build --plan index-KIND`.
 *
 * An id says where the calling thread is in its execution. Ids of one execution differ at different points; ids of
 * kinds STRUCTURAL and PRECISE also say which point of another execution of the same program corresponds. A program
 * that runs uninstrumented has no ids: the functions are weak there, and their addresses null. */
#ifndef CULPRIT_POINT_H
#define CULPRIT_POINT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  CULPRIT_POINT_CONTEXT = 1, /* calling context */
  CULPRIT_POINT_COUNT,       /* software instruction counter */
  CULPRIT_POINT_STRUCTURAL,  /* structural execution index */
  CULPRIT_POINT_LIGHTWEIGHT, /* lightweight execution index */
  CULPRIT_POINT_PRECISE      /* precise execution-point id */
} culprit_point_kind;

/* Equal ids are equal bytes. */
typedef struct {
  uint32_t kind;
  uint32_t words;
  uint64_t word[]; /* src/format/points_abi.h says what they mean */
} culprit_point;

#ifndef CULPRIT_POINT_FUNCTION
#define CULPRIT_POINT_FUNCTION __attribute__((weak))
#endif

/* The bytes that the id of the current point takes; it is written when `bytes` are enough. 0 when this executable keeps
 * no ids of that kind. */
CULPRIT_POINT_FUNCTION size_t culprit_point_current(culprit_point_kind kind, culprit_point* id, size_t bytes);

CULPRIT_POINT_FUNCTION int culprit_point_equal(const culprit_point* left, const culprit_point* right);

/* -1 or 1 when `left` comes before or after `right` in every execution that has both; 0 when they are equal; 2 when
 * this kind does not say: contexts, structural indices, and ids of different threads. */
CULPRIT_POINT_FUNCTION int culprit_point_order(const culprit_point* left, const culprit_point* right);

CULPRIT_POINT_FUNCTION uint64_t culprit_point_hash(const culprit_point* id);

/* Writes the id as text, at most `bytes` with the closing 0; returns the length that it would have. Statements are
 * printed by number; `culprit points` prints lines. */
CULPRIT_POINT_FUNCTION size_t culprit_point_print(const culprit_point* id, char* text, size_t bytes);

/* The statements of the calls that led to the point, and of the point itself, outermost first: as many as fit into
 * `count`. Returns how many there are. Of kind COUNT only the point itself is known. */
CULPRIT_POINT_FUNCTION size_t culprit_point_frames(const culprit_point* id, uint32_t* statements, size_t count);

#ifdef __cplusplus
}
#endif
#endif
