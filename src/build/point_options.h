// The part of a plan that says which execution-point ids an executable keeps (format/points_abi.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "format/points_abi.h"

namespace culprit {

/// Where ids can be asked for. Nothing is done in functions and loops from which no such place can be reached.
enum class PointPlaces {
  kCalls,        ///< calls that leave the instrumented program, but for functions that keep to themselves (strlen)
  kAllocations,  ///< calls that allocate memory or give it back
  kEvents,       ///< these, and calls that order threads
  kStatements,   ///< every statement
  kListed,       ///< the statements of PointOptions::listed
};

struct PointOptions {
  format::PointKind kind = format::PointKind::kNone;
  PointPlaces places = PointPlaces::kCalls;
  std::vector<std::string> listed;  ///< file:line; the file may be its last components
  bool report = false;              ///< every point asked at is reported (format::kPointsVariable)
  bool values = false;              ///< of statements reported: what they write or branch on
  /// Loops that no single header makes natural: false counts arrivals at all headers, true hashes the way through them
  /// (EPID §III-C).
  bool paths_in_irreducible_loops = false;

  bool operator==(const PointOptions&) const = default;
};

/// "pcce", "sic", "sei", "lei", "pepid"; "none".
std::string_view point_kind_name(format::PointKind kind);

/// Takes one member of a plan, as `name = text`, if it is one of ours: index, points, points_at (separated by commas),
/// report_points, report_values, irreducible_loops.
bool set_point_option(PointOptions& options, std::string_view name, std::string_view text);

/// The members as TOML lines; empty when no ids are kept.
std::string toml_text(const PointOptions& options);

/// Options of the named plans index-pcce … index-pepid, each also with "-alloc" or "-events" behind it; kind kNone for other names.
PointOptions named_point_options(std::string_view plan);

}  // namespace culprit
