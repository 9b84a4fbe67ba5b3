// The recording has what children wrote to the program's output, and each call that started one gives its process's
// number; so the child is known, and which of the program's starts it was. The trace has the same start with its
// arguments. What the child was told are its words: a replay that stops at the start has them in memory, at the address
// that the trace tells, because all plans keep there what library functions are given.
//
// What the child makes of its words is not known. The byte is taken to come from where the text around it agrees best
// with the words, joined by spaces as a shell or echo does; a space between two words comes from there being the
// second.
#include "locate/child_output.h"

#include <sys/syscall.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "session/frames.h"
#include "session/process_memory.h"
#include "session/session.h"
#include "trace/control_stream.h"

namespace culprit {
namespace {

using depend::DependenceGraph;
using depend::Node;
using format::EventKind;

constexpr size_t kMostWords = 4096;
constexpr size_t kMostOfWord = 1 << 16;
constexpr size_t kLeastAgreement = 2;  // characters
constexpr size_t kMostFrames = 64;
constexpr size_t kFramesWithVariables = 2;

bool starts_process(const format::Event& event) {
  if (event.kind != EventKind::kCall || event.result <= 0) return false;
  return event.number == SYS_vfork || event.number == SYS_fork || event.number == SYS_clone ||
         event.number == SYS_clone3;
}

uint64_t bytes_of(const recording::EventRef& event) {
  uint64_t bytes = 0;
  for (const recording::PartRef& part : event.parts()) {
    if (part.kind == format::PartKind::kMemory) bytes += part.bytes.size();
  }
  return bytes;
}

enum class Started : uint8_t { kByZero, kUnlessMinusOne, kUnlessZero };

/// How a library function that starts a process is given the words, and what its result says.
struct Starter {
  std::string_view name;
  std::optional<uint32_t> words;  ///< number of the argument; none: the child goes on as a copy of the program
  bool is_text;
  Started started;
};
constexpr Starter kStarters[] = {
    {"posix_spawn", 4, false, Started::kByZero},   {"posix_spawnp", 4, false, Started::kByZero},
    {"system", 0, true, Started::kUnlessMinusOne}, {"popen", 0, true, Started::kUnlessZero},
    {"fork", {}, false, Started::kUnlessMinusOne}, {"vfork", {}, false, Started::kUnlessMinusOne}};

bool has_started(const Starter& how, uint64_t result) {
  switch (how.started) {
    case Started::kByZero:
      return static_cast<int32_t>(result) == 0;
    case Started::kUnlessMinusOne:
      return static_cast<int32_t>(result) != -1;
    case Started::kUnlessZero:
      return result != 0;
  }
  return false;
}

const Starter* starter(const program::ProgramModel& model, uint32_t operation) {
  const auto& record = model.operation(operation);
  if (record.kind != format::OperationKind::kCall || record.detail == program::kNone) return nullptr;
  const uint32_t callee = model.call(record.detail).callee;
  if (callee == program::kNone) return nullptr;
  const auto found = std::find_if(std::begin(kStarters), std::end(kStarters), [&](const Starter& each) {
    return each.name == model.text(model.function(callee).linkage_name);
  });
  return found == std::end(kStarters) ? nullptr : found;
}

std::optional<uint64_t> word_at(const Session& session, uint64_t address) {
  uint64_t word = 0;
  if (!session.read_memory(address, std::as_writable_bytes(std::span(&word, 1)))) return std::nullopt;
  return word;
}

std::string text_at(const Session& session, uint64_t address) {
  std::string text;
  for (char each = 0; text.size() < kMostOfWord; text += each) {
    if (!session.read_memory(address + text.size(), std::as_writable_bytes(std::span(&each, 1))) || each == 0) break;
  }
  return text;
}

struct Word {
  uint64_t address;
  std::string text;
};

std::vector<Word> words_of(const Session& session, const StartOfChild& start) {
  if (start.is_text) return {{start.words, text_at(session, start.words)}};
  std::vector<Word> words;
  for (uint64_t each = start.words; words.size() < kMostWords; each += sizeof(uint64_t)) {
    const std::optional<uint64_t> address = word_at(session, each);
    if (!address || *address == 0) break;
    words.push_back({*address, text_at(session, *address)});
  }
  return words;
}

/// Address of the byte of the words that agrees best with byte `at` of `text`.
std::optional<uint64_t> best_agreement(const std::vector<Word>& words, std::string_view text, size_t at) {
  std::string all;
  std::vector<uint64_t> addresses;
  for (const Word& word : words) {
    if (!all.empty()) {
      all += ' ';
      addresses.push_back(word.address);
    }
    for (size_t each = 0; each < word.text.size(); ++each) addresses.push_back(word.address + each);
    all += word.text;
  }
  size_t best = kLeastAgreement - 1;
  std::optional<uint64_t> found;
  for (size_t place = all.find(text[at]); place != std::string::npos; place = all.find(text[at], place + 1)) {
    size_t before = 0, after = 1;
    while (before < std::min(at, place) && all[place - before - 1] == text[at - before - 1]) ++before;
    while (place + after < all.size() && at + after < text.size() && all[place + after] == text[at + after]) ++after;
    if (before + after <= best) continue;
    best = before + after;
    found = addresses[place];
  }
  return found;
}

}  // namespace

std::optional<ChildOutput> written_by_child(const recording::Recording& recording, uint64_t byte) {
  // A child may write before the call that started it has come back, so the starts are looked for first.
  std::unordered_map<int64_t, uint64_t> started;  // by process
  bool has_threads = false;
  recording.stream.for_each([&](const recording::EventRef& ref) {
    if (starts_process(*ref.event)) started.emplace(ref.event->result, started.size() + 1);
    has_threads = has_threads || ref.event->kind == EventKind::kThreadStart;
    return true;
  });
  // The same calls start threads, and events do not tell which they did.
  if (has_threads || started.empty()) return std::nullopt;
  uint64_t written = 0;
  std::optional<ChildOutput> found;
  recording.stream.for_each([&](const recording::EventRef& ref) {
    const format::Event& event = *ref.event;
    if ((event.flags & format::kShowOnOutput) == 0) return true;
    const bool by_child = event.kind == EventKind::kChildOutput;
    const uint64_t bytes = by_child ? bytes_of(ref) : static_cast<uint64_t>(std::max<int64_t>(event.result, 0));
    if (byte >= written + bytes) {
      written += bytes;
      return true;
    }
    const auto process = started.find(event.result);
    if (!by_child || process == started.end()) return false;  // by itself, or by a child's child
    found = ChildOutput{.started = process->second, .text = {}, .at = byte - written};
    for (const recording::PartRef& part : ref.parts()) {
      if (part.kind == format::PartKind::kMemory) found->text += part.text();
    }
    return false;
  });
  return found;
}

std::optional<StartOfChild> start_of_child(const trace::TraceFile& trace, const DependenceGraph& graph,
                                           uint64_t number) {
  const program::ProgramModel& model = graph.model();
  trace::ControlStream stream(trace);
  std::unordered_map<uint32_t, uint64_t> returned;  // by operation
  uint64_t count = 0;
  while (true) {
    const trace::Step& step = stream.next();
    if (step.kind == trace::StepKind::kEnd) return std::nullopt;
    if (step.kind != trace::StepKind::kReturned || step.operation == format::kNone) continue;
    const Starter* how = starter(model, step.operation);
    if (how == nullptr) continue;
    const uint64_t instance = ++returned[step.operation];
    if (!has_started(*how, step.returned->result) || ++count != number) continue;
    if (!how->words || *how->words >= step.returned->count) return std::nullopt;
    const uint32_t block = model.block_of_operation(step.operation);
    if (graph.executions_of(block) < instance) return std::nullopt;
    return StartOfChild{.call = Node::of(graph.execution_of(block, instance), step.operation),
                        .words = step.returned->arguments[*how->words],
                        .is_text = how->is_text};
  }
}

std::optional<ParentAtStart> parent_at_start(const Launch& launch, const program::ProgramModel& model,
                                             const StartOfChild& start, const ChildOutput& output) {
  Session session = Session::replay(*launch.recording, launch.executable);
  const std::optional<Position> position =
      session.run_to({.kind = format::ReplayPoint::kProcess, .number = output.started});
  if (!position) return std::nullopt;
  ParentAtStart parent;
  parent.frames = read_frames(memory_of(session), position->frames, kMostFrames);
  for (size_t each = 0; each < parent.frames.size() && each < kFramesWithVariables; ++each) {
    parent.variables.push_back(read_variables(memory_of(session), model, parent.frames[each]));
  }
  const std::vector<Word> words = words_of(session, start);
  if (words.empty()) return parent;
  parent.program = words.front().text;
  parent.source = best_agreement(words, output.text, output.at);
  return parent;
}

}  // namespace culprit
