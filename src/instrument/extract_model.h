// The program model of a merged program (format/model_format.h).
#pragma once

#include <filesystem>
#include <future>
#include <string>
#include <vector>

#include "program/model_sections.h"

namespace llvm {
class Module;
}

namespace culprit {

/// Describes `module` and stamps the model's ids into it (model_ids.h), so that passes after this one, in whatever
/// body, can name blocks and statements. Ids depend on the merged program only, not on the plan. Adds nothing but
/// metadata, and unused instructions that mark the place of accesses which move later.
program::ModelTables extract_model(llvm::Module& module);

/// A model that is completed and written beside other work.
struct ModelInWriting {
  std::vector<std::string> anchors;  ///< symbols
  std::future<void> written;         ///< throws what writing has thrown
};

/// As extract_model; what needs no LLVM (dependences, loops, the file at `path`) is done by a thread of its own.
ModelInWriting extract_and_write_model(llvm::Module& module, const std::filesystem::path& path);

}  // namespace culprit
