// What of a node's sets of inputs comes into those of a criterion: what a walk backwards keeps of a node instead of
// sets.
//
// A criterion's sets are unions over the paths of dependences that lead from bytes of input to it, and a path tells of
// a byte only in which set it arrives, and whether with its strength. So it is enough to know, for each of a node's
// sets, in which of the criterion's it ends: a few bits. What a way does to sets when they are computed forwards
// (InputValues), is done here to these bits, backwards.
#pragma once

#include <cstdint>

#include "depend/input_parts.h"
#include "depend/input_values.h"

namespace culprit::depend {

/// A set of wishes. What is wished with strength is wished without it, too; what is wished in any case is wished also
/// where it is precise. So one demand holds another if it has all of its bits.
using Demand = uint32_t;

namespace demand {

// What the node is derived from is wished for one of the criterion's sets (by InputRole) …
inline constexpr uint32_t kStrong = 0;       ///< … with its strength,
inline constexpr uint32_t kWeak = 3;         ///< … without,
inline constexpr uint32_t kStrongExact = 6;  ///< … with its strength, as far as it is precise,
inline constexpr uint32_t kWeakExact = 9;    ///< … without, as far as it is precise.
// What influenced the node by control is wished for CINFLUENCED or AINFLUENCED (first bit, second bit) …
inline constexpr uint32_t kControlStrong = 12;
inline constexpr uint32_t kControlWeak = 14;
// … and what did by address, for AINFLUENCED.
inline constexpr uint32_t kAddressStrong = 16;
inline constexpr uint32_t kAddressWeak = 17;
inline constexpr uint32_t kBits = 18;

constexpr Demand bit(uint32_t group, InputRole role) {
  return Demand{1} << (group + static_cast<uint32_t>(role));
}
inline constexpr Demand kForControl = 1, kForAddress = 2;  ///< of the two bits of kControlStrong and kControlWeak
inline constexpr Demand kAllExact = Demand{0b111111} << kStrongExact;
/// Chains of mapped values are those of DERIVED.
inline constexpr Demand kExactlyDerived = bit(kStrongExact, InputRole::kDerived);

/// Of the criterion itself.
constexpr Demand whole(bool is_weak) {
  Demand all = bit(kWeak, InputRole::kDerived) | bit(kWeakExact, InputRole::kDerived) | kForControl << kControlWeak |
               Demand{1} << kAddressWeak;
  if (!is_weak) {
    all |= bit(kStrong, InputRole::kDerived) | kExactlyDerived | kForControl << kControlStrong |
           Demand{1} << kAddressStrong;
  }
  return all;
}

constexpr Demand weakened(Demand wished) {
  const Demand derived = wished & Demand{0b111} << kWeak;
  return derived | derived << (kWeakExact - kWeak) |
         (wished & (Demand{0b11} << kControlWeak | Demand{1} << kAddressWeak));
}

/// Of a source that decided: what it is derived from influences by control, as what influenced it by control does.
constexpr Demand through_control(Demand wished) {
  const Demand strong = wished >> kControlStrong & 0b11, weak = wished >> kControlWeak & 0b11;
  return strong << (kStrong + 1) | weak << (kWeak + 1) | strong << (kStrongExact + 1) | weak << (kWeakExact + 1) |
         (wished & (Demand{0b111111} << kControlStrong));
}

/// Of a source that chose the memory: all of it influences by address.
constexpr Demand through_address(Demand wished) {
  const Demand strong = wished >> kAddressStrong & 1, weak = wished >> kAddressWeak & 1;
  return strong << (kStrong + 2) | weak << (kWeak + 2) | strong << (kStrongExact + 2) | weak << (kWeakExact + 2) |
         strong << (kControlStrong + 1) | weak << (kControlWeak + 1) | strong << kAddressStrong | weak << kAddressWeak;
}

/// Of a predicate whose precise inputs were mapped to a constant that the node stores.
constexpr Demand mapped(Demand wished) {
  return wished & kAllExact;
}

constexpr Demand through(InputWay way, Demand wished) {
  switch (way) {
    case InputWay::kPrecise:
      return wished;
    case InputWay::kWeak:
      return weakened(wished);
    case InputWay::kAddress:
      return through_address(wished);
    case InputWay::kControl:
      return through_control(wished);
    case InputWay::kWeakControl:
      return through_control(weakened(wished));
  }
  return 0;
}

}  // namespace demand
}  // namespace culprit::depend
