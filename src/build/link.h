// The original link done again: our objects in place of those that carried bitcode, everything else as it was.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "capture/capture.h"

namespace culprit {

/// How a program's file is loaded.
enum class Loading { kDynamic, kDynamicPie, kStatic, kStaticPie };

/// Reads it from the ELF header of the original program.
Loading loading_of(const Capture& program);

struct LinkJob {
  const Capture* program = nullptr;
  std::vector<const Capture*> absorbed;  ///< shared libraries whose units are in `objects`
  std::vector<std::string> objects;      ///< Culprit's, in order
  std::vector<std::string> runtime;      ///< Culprit's runtime and the options it needs
  std::vector<std::string> observed;     ///< objects of the plan's own, linked last (build/link_layout.h)
  bool shared_layout = false;            ///< the same addresses in all plans (build/link_layout.h)
  std::filesystem::path work;            ///< folder for embedded files
  std::filesystem::path output;
};

/// What $ORIGIN means to the loader: the folder of the file itself, however the program was named.
std::filesystem::path origin_of(const Capture& capture);

/// The command that links; writes embedded files into `job.work`.
/// Throws UserError when an input is gone and does not travel in the program.
std::vector<std::string> link_command(const LinkJob& job);

/// The paths, outside of the program and of the absorbed libraries, that the link will read.
std::set<std::string> native_inputs(const LinkJob& job);

/// Turns the linker's messages into an error with a remedy.
[[noreturn]] void fail_to_link(const std::string& messages);

}  // namespace culprit
