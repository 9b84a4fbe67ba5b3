#include "program/external/variadic_arguments.h"

#include "program/external/description.h"

namespace culprit::program::external {
namespace {

constexpr uint64_t kGeneralEnd = 48;    // six registers of 8 bytes
constexpr uint64_t kFloatingEnd = 176;  // and eight of 16
constexpr auto kBefore = CalledMemory::When::kBefore;

Place memory_place(uint64_t address, uint64_t bytes) {
  return {.kind = Place::Kind::kMemory, .address = address, .bytes = bytes};
}

}  // namespace

size_t VariadicArguments::parameter_count(const Application& application) {
  return application.description.parameters.size();
}

VariadicArguments::VariadicArguments(const Application& application, uint64_t list)
    : application_(application), in_list_(true) {
  const auto general = application.load(kBefore, list, 4);
  const auto floating = application.load(kBefore, list + 4, 4);
  const auto overflow = application.load(kBefore, list + 8, 8);
  const auto saved = application.load(kBefore, list + 16, 8);
  known_ = general && floating && overflow && saved;
  if (!known_) return;
  general_ = *general;
  floating_ = *floating;
  overflow_ = *overflow;
  saved_ = *saved;
}

VariadicArgument VariadicArguments::numbered(uint32_t number) {
  const uint64_t index = parameter_count(application_) + number - 1;
  if (in_list_ || number == 0 || index >= application_.call.arguments.size()) {
    known_ = false;
    return {};
  }
  return {application_.call.arguments[index],
          {.kind = Place::Kind::kArgument, .argument = static_cast<uint32_t>(index)}};
}

VariadicArgument VariadicArguments::integer() {
  if (!in_list_) return from_call();
  if (general_ >= kGeneralEnd) return from_overflow(8, 8);
  general_ += 8;
  return from_memory(saved_ + general_ - 8, 8);
}

VariadicArgument VariadicArguments::floating() {
  if (!in_list_) return from_call();
  if (floating_ >= kFloatingEnd) return from_overflow(8, 8);
  floating_ += 16;
  return from_memory(saved_ + floating_ - 16, 8);
}

VariadicArgument VariadicArguments::long_double() {
  VariadicArgument argument = in_list_ ? from_overflow(16, 16) : from_call();
  argument.value.reset();
  return argument;
}

VariadicArgument VariadicArguments::from_call() {
  if (next_ >= application_.call.arguments.size()) {
    known_ = false;
    return {};
  }
  const uint32_t index = next_++;
  return {application_.call.arguments[index], {.kind = Place::Kind::kArgument, .argument = index}};
}

VariadicArgument VariadicArguments::from_memory(uint64_t address, uint64_t bytes) {
  if (!known_) return {};
  return {application_.load(kBefore, address, 8), memory_place(address, bytes)};
}

VariadicArgument VariadicArguments::from_overflow(uint64_t bytes, uint64_t alignment) {
  const uint64_t address = (overflow_ + alignment - 1) / alignment * alignment;
  overflow_ = address + bytes;
  return from_memory(address, bytes);
}

}  // namespace culprit::program::external
