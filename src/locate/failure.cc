#include "locate/failure.h"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include <algorithm>
#include <filesystem>

#include "locate/own_statements.h"

namespace culprit {
namespace {

using report::Failure;

constexpr uint64_t kNullPage = 64 * 1024;  // members of an object at address 0 lie below this
constexpr uint64_t kCanonicalLimit = uint64_t{1} << 47;

/// The first line of `text` that contains `part`; empty when there is none.
std::string line_with(const std::string& text, std::string_view part) {
  const auto at = text.find(part);
  if (at == std::string::npos) return {};
  const auto start = text.rfind('\n', at);
  const auto end = text.find('\n', at);
  const auto from = start == std::string::npos ? 0 : start + 1;
  return text.substr(from, end == std::string::npos ? end : end - from);
}

/// Empty when there is none with text.
std::string last_line(const std::string& text) {
  const auto end = text.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return {};
  const auto start = text.rfind('\n', end);
  return text.substr(start == std::string::npos ? 0 : start + 1,
                     end - (start == std::string::npos ? 0 : start + 1) + 1);
}

bool is_failed_assertion(const std::string& line) {
  return (line.find("Assertion `") != std::string::npos || line.find("Assertion '") != std::string::npos) &&
         line.find("failed") != std::string::npos;
}

Failure memory_failure(const format::StopRecord& stop) {
  const char* action = "The program accessed";
  if (stop.signal_code == SI_KERNEL || stop.address >= kCanonicalLimit) {
    return {.kind = "wild-pointer",
            .message = fmt::format("{} memory through a value that is no address at all ({}).", action,
                                   strsignal(stop.signal)),
            .place = {}};
  }
  if (stop.address < kNullPage) {
    return {.kind = "null-dereference",
            .message = stop.address == 0
                           ? fmt::format("{} memory through a null pointer ({}).", action, strsignal(stop.signal))
                           : fmt::format("{} byte {} of an object through a null pointer ({}).", action, stop.address,
                                         strsignal(stop.signal)),
            .place = {}};
  }
  return {.kind = "invalid-access",
          .message = fmt::format("{} address {:#x}, which {} ({}).", action, stop.address,
                                 stop.signal_code == SEGV_ACCERR ? "it may not access this way" : "is not its memory",
                                 strsignal(stop.signal)),
          .place = {}};
}

Failure abort_failure(const std::string& error) {
  struct Sign {
    const char* text;
    const char* kind;
    const char* says;
  };
  static constexpr Sign kSigns[] = {
      {"Assertion `", "assertion", "An assertion failed"},
      {"Assertion '", "assertion", "An assertion failed"},
      {"terminate called", "uncaught-exception", "A C++ exception was not caught"},
      {"stack smashing detected", "stack-smashing", "libc found a function's stack frame overwritten"},
      {"double free detected", "double-free", "libc found memory freed twice"},
      {"double free or corruption (fasttop)", "double-free", "libc found memory freed twice"},
      {"double free or corruption", "heap-corruption", "libc found the heap damaged, or memory freed twice"},
      {"free(): ", "heap-corruption", "libc found the heap damaged"},
      {"malloc(): ", "heap-corruption", "libc found the heap damaged"},
      {"malloc_consolidate(): ", "heap-corruption", "libc found the heap damaged"},
      {"realloc(): ", "heap-corruption", "libc found the heap damaged"},
      {"corrupted ", "heap-corruption", "libc found the heap damaged"},
      {"munmap_chunk(): ", "heap-corruption", "libc found the heap damaged"},
      {"malloc assertion failure", "heap-corruption", "libc found the heap damaged"},
      {"buffer overflow detected", "buffer-overflow", "libc found a buffer too small"},
  };
  for (const Sign& sign : kSigns) {
    std::string line = line_with(error, sign.text);
    if (line.empty()) continue;
    const std::string more = line_with(error, "what(): ");
    if (!more.empty()) line += more;
    return {.kind = sign.kind, .message = fmt::format("{}: {}", sign.says, line), .place = {}};
  }
  const std::string last = last_line(error);
  return {
      .kind = "abort",
      .message = fmt::format("The program ended itself by abort().{}{}", last.empty() ? "" : " It said last: ", last),
      .place = {}};
}

Failure signal_failure(const format::StopRecord& stop, const std::string& error) {
  switch (stop.signal) {
    case SIGSEGV:
    case SIGBUS:
      return memory_failure(stop);
    case SIGABRT:
      return abort_failure(error);
    case SIGFPE:
      return {.kind = "arithmetic",
              .message = stop.signal_code == FPE_INTDIV
                             ? "An integer division trapped: the divisor was 0, or the quotient did not fit (SIGFPE)."
                             : "An arithmetic operation trapped (SIGFPE).",
              .place = {}};
    case SIGILL:
    case SIGTRAP:
      return {.kind = "trap",
              .message = fmt::format("The program ran into a trap ({}).", strsignal(stop.signal)),
              .place = {}};
    default:
      return {.kind = "signal",
              .message = fmt::format("A signal ended the program: {}.", strsignal(stop.signal)),
              .place = {}};
  }
}

std::string deadlock_text(const std::vector<format::WaitPart>& waits) {
  if (waits.size() == 1) return "The program does not end: its only thread waits for what nobody else can do.";
  return fmt::format("The program does not end: each of its {} threads waits for another one.", waits.size());
}

std::optional<Failure> unexpected_end(const ObservedEnd& end, const Expectation& expectation) {
  if (WIFSIGNALED(end.wait_status)) {
    return Failure{.kind = "signal",
                   .message = fmt::format("A signal ended the program: {}.", strsignal(WTERMSIG(end.wait_status))),
                   .place = {}};
  }
  const int status = WEXITSTATUS(end.wait_status);
  if (expectation.fails_if) {
    return Failure{.kind = "predicate",
                   .message = fmt::format("The run fails by the command given (exit status {}).", status),
                   .place = {}};
  }
  if (expectation.output && *expectation.output != end.output) {
    const uint64_t byte = first_wrong_byte(end.output, *expectation.output);
    const auto line = std::count(end.output.begin(), end.output.begin() + static_cast<long>(byte), '\n') + 1;
    const bool ends = byte == end.output.size();
    const std::string last = ends ? last_line(end.error) : "";
    return Failure{.kind = "wrong-output",
                   .message = fmt::format("The output differs from what is expected at byte {} (line {}).{}{}",
                                          byte + 1, line, ends ? " It ends there." : "",
                                          last.empty() ? "" : fmt::format(" The program said last: {}", last)),
                   .place = {}};
  }
  // Without any expectation, whoever asks why a program fails means its exit status.
  if (!expectation.exit_status && !expectation.output && status != 0) {
    const std::string last = last_line(end.error);
    // Programs have assertions of their own, which exit.
    if (is_failed_assertion(last)) {
      return Failure{.kind = "assertion", .message = fmt::format("An assertion failed: {}", last), .place = {}};
    }
    return Failure{.kind = "exit-status",
                   .message = fmt::format("The program ended with exit status {}.{}", status,
                                          last.empty() ? "" : fmt::format(" It said last: {}", last)),
                   .place = {}};
  }
  if (expectation.exit_status && *expectation.exit_status != status) {
    return Failure{.kind = "exit-status",
                   .message = fmt::format("The program ended with exit status {} instead of {}.", status,
                                          *expectation.exit_status),
                   .place = {}};
  }
  return std::nullopt;
}

}  // namespace

report::SourcePlace place_of_statement(const program::ProgramModel& model, uint32_t statement) {
  if (statement >= model.statements().size()) return {};
  const format::StatementRecord& record = model.statement(statement);
  return {.file = model.path_of_statement(statement),
          .line = record.line,
          .column = record.column,
          .function = model.function_name(model.function_of_statement(statement))};
}

namespace {

/// Some switches and generated code have no line of their own. Before is nearer than behind.
uint32_t nearest_with_line(const program::ProgramModel& model, uint32_t statement) {
  const auto has_line = [&model](uint32_t each) { return model.statement(each).line != 0; };
  const program::Indices blocks = model.blocks_of(model.function_of_statement(statement));
  const uint32_t first = *model.statements_of(blocks.front()).begin(), end = *model.statements_of(blocks.back()).end();
  for (uint32_t each = statement + 1; each-- > first;) {
    if (has_line(each)) return each;
  }
  for (uint32_t each = statement; each < end; ++each) {
    if (has_line(each)) return each;
  }
  return statement;
}

}  // namespace

report::SourcePlace place_of_declaration(const program::ProgramModel& model, uint32_t variable, uint32_t function) {
  const format::VariableRecord& record = model.variable(variable);
  return {.file = model.file_path(record.file),
          .line = record.line,
          .column = 0,
          .function = function == program::kNone ? "" : model.function_name(function)};
}

report::SourcePlace place_of_branch(const program::ProgramModel& model, uint32_t block) {
  const program::Indices statements = model.statements_of(block);
  if (statements.empty()) return {};
  return place_of_statement(model, nearest_with_line(model, statements.back()));
}

std::string file_and_line(const report::SourcePlace& place) {
  return fmt::format("{}:{}", std::filesystem::path(place.file).filename().string(), place.line);
}

report::SourcePlace place_of_failure(const program::ProgramModel& model, const std::vector<Frame>& frames) {
  return place_of_statement(model, own_statement(model, statements_of(frames)));
}

uint64_t first_wrong_byte(const std::string& output, const std::string& expected) {
  const auto [ours, theirs] = std::mismatch(output.begin(), output.end(), expected.begin(), expected.end());
  return static_cast<uint64_t>(ours - output.begin());
}

bool is_in_library(const ObservedEnd& end) {
  const bool is_fault = end.stop.reason == format::StopReason::kFatalSignal && end.stop.signal != SIGABRT;
  return is_fault && !end.library.empty();
}

bool is_in_unknown_code(const ObservedEnd& end) {
  constexpr std::string_view kKnown[] = {"libc.so", "libm.so", "ld-linux", "libstdc++.so", "libgcc_s.so"};
  return is_in_library(end) && std::none_of(std::begin(kKnown), std::end(kKnown),
                                            [&end](std::string_view each) { return end.library.starts_with(each); });
}

bool is_about_no_value(const Failure& failure) {
  // Another process sent the signal, or the system upon what it did. A pointer that begins no block is a bad value; a
  // heap that is damaged was so before.
  const bool is_pointer = failure.message.find("invalid pointer") != std::string::npos;
  return failure.kind == "signal" || (failure.kind == "heap-corruption" && !is_pointer);
}

std::optional<Failure> recognise_end(const ObservedEnd& end, const Expectation& expectation) {
  if (expectation.fails_if && !end.timed_out && !expectation.fails_if->fails(end.output, end.wait_status)) {
    return std::nullopt;
  }
  std::optional<Failure> failure;
  if (end.timed_out) {
    failure = {.kind = "hang", .message = "The program did not end within the time limit.", .place = {}};
  } else if (!end.deadlock.empty()) {
    failure = {.kind = "deadlock", .message = deadlock_text(end.deadlock), .place = {}};
  } else if (end.stop.reason == format::StopReason::kStackOverflow) {
    failure = {.kind = "stack-overflow",
               .message = "The variables of all active calls needed more memory than the stack has (SIGSEGV).",
               .place = {}};
  } else if (end.stop.reason == format::StopReason::kFatalSignal && WIFSIGNALED(end.wait_status)) {
    failure = signal_failure(end.stop, end.error);
    if (is_in_unknown_code(end)) {
      failure->message += fmt::format(
          " That was in {}, which is none of the code that culprit-cc has compiled: what happened there is not known.",
          end.library);
    }
  } else {
    failure = unexpected_end(end, expectation);
  }
  return failure;
}

std::optional<Failure> recognise_failure(const program::ProgramModel& model, const ObservedEnd& end,
                                         const Expectation& expectation) {
  std::optional<Failure> failure = recognise_end(end, expectation);
  if (failure && !end.frames.empty()) failure->place = place_of_failure(model, end.frames);
  return failure;
}

}  // namespace culprit
