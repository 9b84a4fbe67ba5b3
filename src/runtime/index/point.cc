// What culprit_point.h offers.
#include "runtime/index/points.h"

#include "runtime/decimal.h"

namespace culprit::runtime {
namespace {

using format::PointKind;

bool has_stack_words(PointKind kind) {
  return kind != PointKind::kCount;
}

/// Kinds that keep a number have two more words: it, and the statement asked at.
bool has_number(PointKind kind) {
  return kind == PointKind::kContext || kind == PointKind::kCount;
}

PointKind kind_of(const culprit_point* id) {
  return static_cast<PointKind>(id->kind);
}

class Line {
 public:
  Line(char* text, size_t bytes) : text_(text), bytes_(bytes) {}
  void add(const char* part) {
    while (*part != '\0') add(*part++);
  }
  void add(char character) {
    if (length_ + 1 < bytes_) text_[length_] = character;
    ++length_;
  }
  void add(uint64_t number) {
    for (const char digit : Decimal(number)) add(digit);
  }
  size_t end() {
    if (bytes_ != 0) text_[length_ < bytes_ ? length_ : bytes_ - 1] = '\0';
    return length_;
  }

 private:
  char* text_;
  size_t bytes_;
  size_t length_ = 0;
};

/// Words that belong to the call word at `at`, in front of it.
size_t words_before(const culprit_point* id, size_t at) {
  switch (kind_of(id)) {
    case PointKind::kContext:
    case PointKind::kLightweight:
      return 1;
    case PointKind::kPrecise: {
      const format::PointSite* site = find_point_site(format::site_of_word(id->word[at]));
      return site ? site->loops : 0;
    }
    case PointKind::kStructural: {
      size_t before = 0;
      while (before + 2 <= at && (id->word[at - before - 1] & format::kBranchMark) != 0) before += 2;
      return before;
    }
    default:
      return 0;
  }
}

/// Where the activation begins whose call word is at `at`; a thread's first word is alone.
size_t start_of(const culprit_point* id, size_t at) {
  if (format::site_of_word(id->word[at]) == 0) return at;
  const size_t before = words_before(id, at);
  return before > at ? 0 : at - before;
}

/// The call word that the word at `at` belongs to, of the first `end` words.
size_t call_of(const culprit_point* id, size_t at, size_t end) {
  while (end > 0) {
    const size_t call = end - 1;
    end = start_of(id, call);
    if (end <= at) return call;
  }
  return at;
}

/// The calls by which a number came about since it was started, innermost first: `number` less the one left there.
/// Numbers below every call's offset were started in that function.
template <typename Visit>
void decode_number(uint32_t function, uint64_t number, Visit visit) {
  while (true) {
    // The last call of `function` whose offset is not above the number.
    uint64_t low = 0, high = culprit_point_plan.call_count;
    while (low < high) {
      const uint64_t middle = (low + high) / 2;
      const format::PointCall& call = culprit_point_plan.calls[middle];
      if (call.callee < function || (call.callee == function && call.offset <= number)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low == 0 || culprit_point_plan.calls[low - 1].callee != function) return;
    const format::PointCall& call = culprit_point_plan.calls[low - 1];
    visit(call.site);
    number -= call.offset;
    const format::PointSite* site = find_point_site(call.site);
    if (!site) return;
    function = site->function;
  }
}

/// The number left on the stack by the last activation in the first `end` words; 0 when none did.
uint64_t number_left(const culprit_point* id, size_t end) {
  return end >= 2 && format::site_of_word(id->word[end - 1]) != 0 ? id->word[end - 2] : 0;
}

/// The statements of all activations, innermost first.
template <typename Visit>
void each_frame(const culprit_point* id, Visit visit) {
  const bool decodes = kind_of(id) == PointKind::kContext;
  size_t end = id->words;
  if (has_number(kind_of(id))) {
    if (end < 2) return;
    end -= 2;
    const auto site = static_cast<uint32_t>(id->word[end + 1]);
    visit(site);
    const format::PointSite* known = decodes ? find_point_site(site) : nullptr;
    if (known) decode_number(known->function, id->word[end] - number_left(id, end), visit);
  }
  while (end > 0) {
    const size_t at = end - 1;
    const uint32_t site = format::site_of_word(id->word[at]);
    if (site != 0) visit(site);
    end = start_of(id, at);
    if (!decodes || site == 0 || end == at) continue;
    if (const format::PointSite* known = find_point_site(site))
      decode_number(known->function, id->word[end] - number_left(id, end), visit);
  }
}

int sign(uint64_t left, uint64_t right) {
  return left < right ? -1 : left > right ? 1 : 0;
}

/// The first word in which they differ lies in one activation of a function; the words before are the same loops.
int order_precise(const culprit_point* left, const culprit_point* right) {
  // Activations, outermost first, are found from the end: their starts are marked by walking twice.
  const size_t shorter = left->words < right->words ? left->words : right->words;
  size_t same = 0;
  while (same < shorter && left->word[same] == right->word[same]) ++same;
  const auto activation_over = [same](const culprit_point* id, size_t& begin, size_t& call) {
    size_t end = id->words;
    while (end > 0) {
      call = end - 1;
      begin = start_of(id, call);
      if (begin <= same) return;
      end = begin;
    }
  };
  size_t left_begin = 0, left_call = 0, right_begin = 0, right_call = 0;
  if (same == left->words || same == right->words) return sign(left->words, right->words);
  activation_over(left, left_begin, left_call);
  activation_over(right, right_begin, right_call);
  if (left_begin != right_begin) return 2;
  const format::PointSite* left_site = find_point_site(format::site_of_word(left->word[left_call]));
  const format::PointSite* right_site = find_point_site(format::site_of_word(right->word[right_call]));
  if (!left_site || !right_site) return 2;
  const uint32_t* left_position = culprit_point_plan.positions + left_site->first_position;
  const uint32_t* right_position = culprit_point_plan.positions + right_site->first_position;
  for (uint32_t level = 0;; ++level) {
    if (left_position[level] != right_position[level]) return sign(left_position[level], right_position[level]);
    if (level == left_site->loops || level == right_site->loops) break;
    const uint64_t left_iteration = left->word[left_begin + level];
    const uint64_t right_iteration = right->word[right_begin + level];
    if (left_iteration != right_iteration) return sign(left_iteration, right_iteration);
  }
  return sign(format::entries_of_word(left->word[left_call]), format::entries_of_word(right->word[right_call]));
}

/// Innermost first difference: a counter of a depth only grows.
int order_lightweight(const culprit_point* left, const culprit_point* right) {
  const size_t shorter = left->words < right->words ? left->words : right->words;
  for (size_t at = 1; at + 1 < shorter; at += 2) {
    if (left->word[at + 1] == right->word[at + 1] && left->word[at] != right->word[at])
      return sign(left->word[at], right->word[at]);
    if (left->word[at + 1] != right->word[at + 1]) return 2;
  }
  return sign(left->words, right->words);
}

}  // namespace
}  // namespace culprit::runtime

using namespace culprit;
using namespace culprit::runtime;

extern "C" size_t culprit_point_current(culprit_point_kind kind, culprit_point* id, size_t bytes) {
  const auto wanted = static_cast<PointKind>(kind);
  if (!&culprit_point_plan || culprit_point_plan.kind != wanted || !culprit_points.base) return 0;
  const size_t stack_bytes =
      has_stack_words(wanted) ? static_cast<size_t>(culprit_points.top - culprit_points.base) : 0;
  const size_t needed = sizeof(culprit_point) + stack_bytes + (has_number(wanted) ? 2 * sizeof(uint64_t) : 0);
  if (bytes < needed) return needed;
  id->kind = static_cast<uint32_t>(kind);
  id->words = static_cast<uint32_t>((needed - sizeof(culprit_point)) / sizeof(uint64_t));
  __builtin_memcpy(id->word, culprit_points.base, stack_bytes);
  if (has_number(wanted)) {
    id->word[id->words - 2] = culprit_points.number;
    id->word[id->words - 1] = culprit_points.site;
  }
  return needed;
}

extern "C" int culprit_point_equal(const culprit_point* left, const culprit_point* right) {
  return left->kind == right->kind && left->words == right->words &&
         __builtin_memcmp(left->word, right->word, left->words * sizeof(uint64_t)) == 0;
}

extern "C" int culprit_point_order(const culprit_point* left, const culprit_point* right) {
  if (culprit_point_equal(left, right)) return 0;
  if (left->kind != right->kind || !&culprit_point_plan || left->kind != static_cast<uint32_t>(culprit_point_plan.kind))
    return 2;
  switch (kind_of(left)) {
    case PointKind::kCount:
      return sign(left->word[left->words - 2], right->word[right->words - 2]);
    case PointKind::kLightweight:
      return order_lightweight(left, right);
    case PointKind::kPrecise:
      return order_precise(left, right);
    default:
      return 2;
  }
}

extern "C" uint64_t culprit_point_hash(const culprit_point* id) {
  PointHash hash(kind_of(id));
  for (uint32_t at = 0; at < id->words; ++at) hash.add(id->word[at]);
  return hash.value();
}

extern "C" size_t culprit_point_print(const culprit_point* id, char* text, size_t bytes) {
  Line line(text, bytes);
  const size_t end = has_number(kind_of(id)) && id->words >= 2 ? id->words - 2 : id->words;
  // Statements and what belongs to them, outermost first: words are printed in order, call words with a colon before.
  for (size_t at = 0; at < end; ++at) {
    const uint64_t word = id->word[at];
    if (at != 0) line.add(' ');
    const size_t call = call_of(id, at, end);
    if (call == at) {
      line.add('s');
      line.add(uint64_t{format::site_of_word(word)});
      if (format::entries_of_word(word) != 0) {
        line.add('/');
        line.add(uint64_t{format::entries_of_word(word)});
      }
    } else if ((word & format::kBranchMark) != 0 && kind_of(id) == PointKind::kStructural) {
      line.add('e');
      line.add(word & 0x7fffffff);
    } else {
      line.add(word);
    }
  }
  if (end != id->words) {
    if (end != 0) line.add(' ');
    line.add('#');
    line.add(id->word[end]);
    line.add(" s");
    line.add(id->word[end + 1]);
  }
  return line.end();
}

extern "C" size_t culprit_point_frames(const culprit_point* id, uint32_t* statements, size_t count) {
  size_t frames = 0;
  each_frame(id, [&](uint32_t) { ++frames; });
  size_t at = frames;
  each_frame(id, [&](uint32_t site) {
    --at;
    if (at < count) statements[at] = site - 1;
  });
  return frames;
}
