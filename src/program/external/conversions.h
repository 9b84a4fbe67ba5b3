// The formats of printf and scanf: where what they produce comes from, where what they take goes to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "program/external/variadic_arguments.h"

namespace culprit::program::external {

/// A stretch of what printf produces.
struct Piece {
  std::optional<uint64_t> bytes;  ///< nothing when its length is not known
  bool unchanged = false;         ///< copies of the source's bytes
  std::vector<Place> sources;     ///< none: a constant
};

struct Formatted {
  std::vector<Piece> pieces;     ///< in order
  std::vector<Place> looked_at;  ///< the format, the strings, and arguments such as widths
  std::vector<Place> counts;     ///< targets of %n
  bool complete = true;          ///< false: the format or an argument is not known; pieces end there
};

/// What a printf with this format makes of the arguments. `wide`: the format is of wchar_t, lengths are not known.
Formatted printf_pieces(const Application& application, uint64_t format, VariadicArguments arguments, bool wide);

/// Pieces whose lengths add up to `total`. One of unknown length gets what is left; where that cannot be told, one
/// piece stands for the rest.
std::vector<Piece> placed(std::vector<Piece> pieces, std::optional<uint64_t> total);

struct Scanned {
  std::vector<Place> targets;    ///< what was assigned, judging by the result
  std::vector<Place> allocated;  ///< blocks made for %ms
  std::vector<Place> looked_at;  ///< the format
  bool complete = true;
};

Scanned scanf_targets(const Application& application, uint64_t format, VariadicArguments arguments, bool wide);

/// A format's characters before the zero; those of wchar_t that are not ASCII as '?'.
std::optional<std::string> format_text(const Application& application, uint64_t address, bool wide);

}  // namespace culprit::program::external
