// The check that makes a model read from a file safe to follow.
#pragma once

#include <string>

#include "program/model_sections.h"

namespace culprit::program {

/// Checks every record of every section: references in range, runs ascending up to the sentinel, trees without cycles,
/// enumerations known. Throws CorruptData naming the section and the record (as offset).
void check_model(const ModelView& model, const std::string& name);

}  // namespace culprit::program
