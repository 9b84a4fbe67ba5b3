// A wrong byte that the program did not put out itself: which process did, where the program started it, and where the
// words came from that the program gave it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "depend/dependence_graph.h"
#include "program/program_model.h"
#include "recording/recording.h"
#include "session/controlled_run.h"
#include "session/variables.h"
#include "trace/trace_file.h"

namespace culprit {

/// What a child process put out around a byte of the program's standard output.
struct ChildOutput {
  uint64_t started = 0;  ///< which of the processes that the program started it is, from 1
  std::string text;      ///< that it put out at once
  size_t at = 0;         ///< of the byte in it
};

/// Nothing when the program itself put the byte out, or nobody.
std::optional<ChildOutput> written_by_child(const recording::Recording& recording, uint64_t byte);

/// The call that started a child, by posix_spawn, system or popen.
struct StartOfChild {
  depend::Node call = depend::kNoNode;
  uint64_t words = 0;    ///< address of its words (argv), or of the one text that a shell is given
  bool is_text = false;  ///< the latter
};

/// In a trace of the run; nothing when it was forked: a trace follows the parent only.
std::optional<StartOfChild> start_of_child(const trace::TraceFile& trace, const depend::DependenceGraph& graph,
                                           uint64_t number);

/// The program as it stood when it started the child.
struct ParentAtStart {
  std::vector<Frame> frames;
  std::vector<std::vector<VariableValue>> variables;  ///< of the innermost
  std::string program;                                ///< the first word
  std::optional<uint64_t> source;  ///< address of the byte that the child put out, if it was given it in a word
};

/// Replays the run up to there.
std::optional<ParentAtStart> parent_at_start(const Launch& launch, const program::ProgramModel& model,
                                             const StartOfChild& start, const ChildOutput& output);

}  // namespace culprit
