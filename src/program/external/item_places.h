// The places that an item of the table means in one call.
#pragma once

#include <vector>

#include "program/external/conversions.h"
#include "program/external/description.h"

namespace culprit::program::external {

struct ItemPlaces {
  std::vector<Place> places;
  uint64_t address_arguments = 0;  ///< bits of the arguments that decide where they are
  bool complete = true;            ///< false: some could not be located
};

/// What the item's form is about, for reading or (scanf's targets) writing. Empty ranges are left out.
ItemPlaces places_of(const Item& item, const Application& application);

/// The argument list that a printf or scanf item takes its arguments from; nothing when it is not known where it is.
std::optional<VariadicArguments> arguments_of(const Item& item, const Application& application);

}  // namespace culprit::program::external
