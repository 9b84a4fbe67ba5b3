#include "program/external/item_places.h"

#include <algorithm>

namespace culprit::program::external {
namespace {

using When = CalledMemory::When;

constexpr uint64_t kMostElements = 4096;               ///< of an iovec or a list of strings
constexpr uint64_t kAddressSpace = uint64_t{1} << 47;  ///< a longer range comes from a value that is no size
constexpr uint64_t kStringMembers = 16;  ///< of a std::string of libstdc++: pointer and size, before the inner buffer

class PlaceFinder {
 public:
  PlaceFinder(const Item& item, const Application& application) : item_(item), application_(application) {
    for (const Expression& operand : item.operands) found_.address_arguments |= arguments_in(operand);
  }

  ItemPlaces find() {
    switch (item_.form) {
      case Item::Form::kBytes:
        bytes();
        break;
      case Item::Form::kArgument:
        add({.kind = Place::Kind::kArgument, .argument = item_.argument});
        break;
      case Item::Form::kByte:
        add({.kind = Place::Kind::kArgument, .argument = item_.argument, .bytes = 1});
        break;
      case Item::Form::kResult:
        add({.kind = Place::Kind::kResult});
        break;
      case Item::Form::kState:
        add({.kind = Place::Kind::kState,
             .state = item_.text,
             .key = item_.operands.empty() ? std::nullopt : evaluate(item_.operands.front(), application_)});
        break;
      case Item::Form::kText:
        add({.kind = Place::Kind::kConstant, .bytes = item_.text.size()});
        break;
      case Item::Form::kUnknown:
        add({.kind = Place::Kind::kConstant});
        break;
      case Item::Form::kPrintf:
      case Item::Form::kWidePrintf:
        formatted();
        break;
      case Item::Form::kScanf:
      case Item::Form::kWideScanf:
        scanned();
        break;
      case Item::Form::kVectors:
        vectors();
        break;
      case Item::Form::kStrings:
        strings();
        break;
      case Item::Form::kCxxString:
        cxx_string();
        break;
    }
    return std::move(found_);
  }

 private:
  void add(Place place) { found_.places.push_back(std::move(place)); }

  void memory(uint64_t address, std::optional<uint64_t> bytes) {
    if (address == 0 || (bytes && static_cast<int64_t>(*bytes) <= 0)) return;
    if (bytes && *bytes > kAddressSpace) bytes.reset();
    add({.kind = Place::Kind::kMemory, .address = address, .bytes = bytes});
  }

  std::optional<uint64_t> operand(size_t index) {
    const auto value = index < item_.operands.size() ? evaluate(item_.operands[index], application_) : std::nullopt;
    if (!value) found_.complete = false;
    return value;
  }

  void bytes() {
    const auto address = operand(0);
    if (address && *address != 0) memory(*address, evaluate(item_.operands[1], application_));
  }

  void formatted() {
    const auto format = operand(0);
    const auto arguments = arguments_of(item_, application_);
    if (!format || !arguments) {
      found_.complete = false;
      return;
    }
    Formatted formatted = printf_pieces(application_, *format, *arguments, item_.form == Item::Form::kWidePrintf);
    found_.complete &= formatted.complete;
    found_.places = std::move(formatted.looked_at);
    for (const Piece& piece : formatted.pieces) {
      for (const Place& source : piece.sources) {
        if (std::find(found_.places.begin(), found_.places.end(), source) == found_.places.end()) add(source);
      }
    }
  }

  void scanned() {
    const auto format = operand(0);
    const auto arguments = arguments_of(item_, application_);
    if (!format || !arguments) {
      found_.complete = false;
      return;
    }
    Scanned scanned = scanf_targets(application_, *format, *arguments, item_.form == Item::Form::kWideScanf);
    found_.complete &= scanned.complete;
    found_.places = std::move(scanned.targets);
  }

  void vectors() {
    const auto base = operand(0);
    const auto count = operand(1);
    const bool limited = item_.operands.size() > 2;
    const auto limit = limited ? operand(2) : std::optional(~uint64_t{0});
    if (!base || !count || !limit || static_cast<int64_t>(*limit) < 0) {
      if (!limited && base && count) return vectors(*base, *count, ~uint64_t{0});
      return;
    }
    vectors(*base, *count, *limit);
  }

  void vectors(uint64_t base, uint64_t count, uint64_t left) {
    for (uint64_t index = 0; index < std::min(count, kMostElements) && left > 0; ++index) {
      const auto address = application_.load(When::kBefore, base + 16 * index, 8);
      const auto size = application_.load(When::kBefore, base + 16 * index + 8, 8);
      if (!address || !size) {
        found_.complete = false;
        return;
      }
      const uint64_t bytes = std::min(*size, left);
      memory(*address, bytes);
      left -= bytes;
    }
  }

  void strings() {
    const auto base = operand(0);
    if (!base || *base == 0) return;
    uint64_t count = 0;
    for (; count < kMostElements; ++count) {
      const auto address = application_.load(When::kBefore, *base + 8 * count, 8);
      if (!address) found_.complete = false;
      if (!address || *address == 0) break;
      const auto length = application_.length(When::kBefore, *address, 1, ~uint64_t{0});
      memory(*address, length ? std::optional(*length + 1) : std::nullopt);
    }
    memory(*base, (count + 1) * 8);
  }

  void cxx_string() {
    const When when = item_.after ? When::kAfter : When::kBefore;
    const auto address = operand(0);
    if (!address) return;
    memory(*address, kStringMembers);
    const auto characters = application_.load(when, *address, 8);
    const auto size = application_.load(when, *address + 8, 8);
    if (characters) {
      memory(*characters, size ? std::optional(*size + 1) : std::nullopt);
    } else {
      found_.complete = false;
    }
  }

  const Item& item_;
  const Application& application_;
  ItemPlaces found_;
};

}  // namespace

ItemPlaces places_of(const Item& item, const Application& application) {
  return PlaceFinder(item, application).find();
}

std::optional<VariadicArguments> arguments_of(const Item& item, const Application& application) {
  if (item.operands.size() < 2) return VariadicArguments(application);
  const auto list = evaluate(item.operands[1], application);
  if (!list) return std::nullopt;
  VariadicArguments arguments(application, *list);
  if (!arguments.known()) return std::nullopt;
  return arguments;
}

}  // namespace culprit::program::external
