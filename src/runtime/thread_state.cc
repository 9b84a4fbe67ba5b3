#include "runtime/thread_state.h"

extern "C"
    __attribute__((visibility("hidden"))) constinit thread_local culprit::format::ThreadState culprit_thread = {};

/// Plans with observed bodies bring another.
extern "C" __attribute__((weak, visibility("hidden"))) uint8_t culprit_initial_observe = culprit::format::kFastBodies;

namespace culprit::runtime {
namespace {

struct Note {
  uint32_t name_bytes;
  uint32_t description_bytes;
  uint32_t type;
  char name[8];
  uint32_t abi_version;
  uint32_t thread_state_bytes;
};

}  // namespace

/// What a recorder reads without running the program: the ABI's version. The offset of `culprit_thread` in thread-local
/// storage is in the symbol table: a local-exec symbol's value.
extern const Note kNote;
__attribute__((section(".note.culprit"), used)) constinit const Note kNote = {
    .name_bytes = sizeof(Note::name),
    .description_bytes = 2 * sizeof(uint32_t),
    .type = 1,
    .name = {'C', 'u', 'l', 'p', 'r', 'i', 't', '\0'},
    .abi_version = format::kRuntimeAbiVersion,
    .thread_state_bytes = sizeof(format::ThreadState),
};

}  // namespace culprit::runtime
