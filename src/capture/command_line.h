// A compiler's command line, understood as far as culprit-cc needs: what it will do, and what goes into a link in
// order.
#pragma once

#include <string>
#include <vector>

namespace culprit {

enum class ArgumentKind {
  kInput,         ///< a file; `value` is its path, "-" standard input
  kLibrary,       ///< -lNAME; `value` is NAME
  kLibraryPath,   ///< -LDIR; `value` is DIR
  kLinkerOption,  ///< -Wl,…, -Xlinker X, -T X, -z X, -u X, -e X, -s, -rdynamic, -static, …
  kOther,
};

struct Argument {
  ArgumentKind kind = ArgumentKind::kOther;
  std::vector<std::string> words;  ///< as on the command line: one, or the option and its value
  std::string value;
  std::string language;  ///< of inputs: the -x in force, or that of the extension; "object" for what goes to the linker
};

/// What the compiler is asked for, as far as it matters to capture.
enum class Action {
  kNoObject,  ///< -E, -S, -M, -fsyntax-only, --version, …: nothing to capture, the command passes through untouched
  kObjects,   ///< -c
  kRelocatable,  ///< -r
  kLink,         ///< an executable or a shared library
};

struct CommandLine {
  Action action = Action::kNoObject;
  std::vector<Argument> arguments;  ///< response files expanded
  std::string output;               ///< of -o; empty when not given
  bool is_shared = false;
  bool is_static = false;
  bool is_lto = false;
  bool other_target = false;     ///< code for something other than x86-64 Linux, which Culprit cannot rebuild
  bool full_debug_info = false;  ///< the user's own options already ask for full debug information
  bool compiles = false;         ///< some input is C, C++, or another language that clang turns into IR
};

/// `words` is the command line without the program's name. Response files that cannot be read stay words, as in clang.
CommandLine parse_command_line(const std::vector<std::string>& words);

/// "c", "c++", "assembler", …: clang's name for the language of a file's extension; "object" for anything unknown.
std::string language_of_extension(const std::string& path);

}  // namespace culprit
