// Places in what a program puts out, as users name them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "depend/dependence_graph.h"

namespace culprit::cli {

/// The whole of `text` as a number, decimal or with 0x.
std::optional<uint64_t> number_in(const std::string& text);

/// `stdout:N` or `stderr:N`, N counted from 0; nothing for other places.
std::optional<std::pair<depend::OutputStream, uint64_t>> output_position(const std::string& at);

}  // namespace culprit::cli
