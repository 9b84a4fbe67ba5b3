#include "index/core_expression.h"

#include <dwarf.h>

#include <cstdlib>
#include <vector>

namespace culprit {
namespace {

/// How wide a variable is, and whether it has a sign.
struct Scalar {
  size_t bytes = 0;
  bool is_signed = false;
};

std::optional<Scalar> scalar_type(Dwarf_Die& variable) {
  Dwarf_Attribute attribute;
  Dwarf_Die type, peeled;
  if (!dwarf_attr_integrate(&variable, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, &type)) return {};
  if (dwarf_peel_type(&type, &peeled) != 0) return {};
  Dwarf_Word bytes = 0, encoding = 0;
  if (dwarf_aggregate_size(&peeled, &bytes) != 0 || bytes == 0 || bytes > sizeof(uint64_t)) return {};
  const int tag = dwarf_tag(&peeled);
  if (tag != DW_TAG_base_type && tag != DW_TAG_enumeration_type && tag != DW_TAG_pointer_type) return {};
  if (tag == DW_TAG_base_type && dwarf_attr(&peeled, DW_AT_encoding, &attribute)) {
    dwarf_formudata(&attribute, &encoding);
  }
  return Scalar{bytes, encoding == DW_ATE_signed || encoding == DW_ATE_signed_char};
}

int64_t extend(uint64_t value, Scalar type) {
  const unsigned unused = 64 - 8 * static_cast<unsigned>(type.bytes);
  if (type.is_signed) return static_cast<int64_t>(value << unused) >> unused;
  return static_cast<int64_t>(value << unused >> unused);
}

class Evaluation {
 public:
  Evaluation(Dwfl_Frame* frame, Dwarf_Die& function, Dwarf_Addr address, Dwarf_Addr bias, const CoreMemory& memory)
      : frame_(frame), function_(function), address_(address), bias_(bias), memory_(memory) {}

  /// The value of a variable of that type whose location it is.
  std::optional<int64_t> value(const Dwarf_Op* ops, size_t count, Scalar type) {
    if (!run(ops, count)) return std::nullopt;
    if (is_value_) return extend(stack_.back(), type);
    const auto word = memory_.read(stack_.back(), type.bytes);
    return word ? std::optional(extend(*word, type)) : std::nullopt;
  }

 private:
  std::optional<uint64_t> of_register(unsigned number) const {
    Dwarf_Word word = 0;
    return dwfl_frame_reg(frame_, number, &word) == 0 ? std::optional<uint64_t>(word) : std::nullopt;
  }

  bool push(std::optional<uint64_t> word, uint64_t more = 0) {
    if (!word) return false;
    stack_.push_back(*word + more);
    return true;
  }

  bool run(const Dwarf_Op* ops, size_t count) {
    for (size_t each = 0; each < count; ++each) {
      if (!step(ops[each])) return false;
    }
    return !stack_.empty();
  }

  bool step(const Dwarf_Op& op) {
    const auto constant = static_cast<uint64_t>(op.number);
    if (op.atom >= DW_OP_lit0 && op.atom <= DW_OP_lit31) return push(op.atom - DW_OP_lit0);
    if (op.atom >= DW_OP_breg0 && op.atom <= DW_OP_breg31) return push(of_register(op.atom - DW_OP_breg0), constant);
    if (op.atom >= DW_OP_reg0 && op.atom <= DW_OP_reg31) return push_value(of_register(op.atom - DW_OP_reg0));
    switch (op.atom) {
      case DW_OP_addr:
        return push(constant + bias_);
      case DW_OP_const1u:
      case DW_OP_const2u:
      case DW_OP_const4u:
      case DW_OP_const8u:
      case DW_OP_constu:
      case DW_OP_const1s:
      case DW_OP_const2s:
      case DW_OP_const4s:
      case DW_OP_const8s:
      case DW_OP_consts:
        return push(constant);
      case DW_OP_fbreg:
        return push(frame_base(), constant);
      case DW_OP_call_frame_cfa:
        return push(frame_address());
      case DW_OP_stack_value:
        is_value_ = true;
        return !stack_.empty();
      case DW_OP_plus_uconst:
        return change([&](uint64_t word) { return word + constant; });
      case DW_OP_neg:
        return change([](uint64_t word) { return 0 - word; });
      case DW_OP_not:
        return change([](uint64_t word) { return ~word; });
      case DW_OP_deref:
        if (stack_.empty()) return false;
        {
          const auto word = memory_.read(pop(), sizeof(uint64_t));
          return push(word);
        }
      case DW_OP_plus:
      case DW_OP_minus:
      case DW_OP_mul:
      case DW_OP_and:
      case DW_OP_or:
      case DW_OP_xor:
      case DW_OP_shl:
      case DW_OP_shr:
      case DW_OP_shra:
        return combine(op.atom);
      default:  // conversions, pieces, values at entry: rare for integers that count
        return false;
    }
  }

  bool push_value(std::optional<uint64_t> word) {
    is_value_ = true;
    return push(word);
  }

  uint64_t pop() {
    const uint64_t word = stack_.back();
    stack_.pop_back();
    return word;
  }

  template <typename Change>
  bool change(Change change) {
    if (stack_.empty()) return false;
    stack_.back() = change(stack_.back());
    return true;
  }

  bool combine(int atom) {
    if (stack_.size() < 2) return false;
    const uint64_t right = pop(), left = pop();
    switch (atom) {
      case DW_OP_plus:
        return push(left + right);
      case DW_OP_minus:
        return push(left - right);
      case DW_OP_mul:
        return push(left * right);
      case DW_OP_and:
        return push(left & right);
      case DW_OP_or:
        return push(left | right);
      case DW_OP_xor:
        return push(left ^ right);
      case DW_OP_shl:
        return push(right < 64 ? left << right : 0);
      case DW_OP_shr:
        return push(right < 64 ? left >> right : 0);
      default:
        return push(static_cast<uint64_t>(static_cast<int64_t>(left) >> (right < 64 ? right : 63)));
    }
  }

  /// An address, also where the expression names a register: its content is the base.
  std::optional<uint64_t> address_of(const Dwarf_Op* ops, size_t count) const {
    Evaluation nested(frame_, function_, address_, bias_, memory_);
    return nested.run(ops, count) ? std::optional(nested.stack_.back()) : std::nullopt;
  }

  std::optional<uint64_t> frame_base() const {
    Dwarf_Attribute attribute;
    Dwarf_Op* ops = nullptr;
    size_t count = 0;
    if (!dwarf_attr_integrate(&function_, DW_AT_frame_base, &attribute)) return std::nullopt;
    if (dwarf_getlocation_addr(&attribute, address_, &ops, &count, 1) != 1) return std::nullopt;
    return address_of(ops, count);
  }

  std::optional<uint64_t> frame_address() const {
    Dwfl_Module* module = dwfl_addrmodule(dwfl_thread_dwfl(dwfl_frame_thread(frame_)), address_ + bias_);
    Dwarf_Addr bias = 0;
    Dwarf_CFI* rules = dwfl_module_eh_cfi(module, &bias);
    Dwarf_Frame* described = nullptr;
    if (!rules || dwarf_cfi_addrframe(rules, address_ + bias_ - bias, &described) != 0) return std::nullopt;
    Dwarf_Op* ops = nullptr;
    size_t count = 0;
    const bool known = dwarf_frame_cfa(described, &ops, &count) == 0;
    const auto address = known ? address_of(ops, count) : std::nullopt;
    std::free(described);
    return address;
  }

  Dwfl_Frame* frame_;
  Dwarf_Die& function_;
  Dwarf_Addr address_;
  Dwarf_Addr bias_;
  const CoreMemory& memory_;
  std::vector<uint64_t> stack_;
  bool is_value_ = false;
};

}  // namespace

std::optional<int64_t> read_variable(Dwarf_Die& die, Dwarf_Die& function, Dwfl_Frame* frame, Dwarf_Addr address,
                                     Dwarf_Addr bias, const CoreMemory& memory) {
  const auto type = scalar_type(die);
  if (!type) return std::nullopt;
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(&die, DW_AT_const_value, &attribute)) {
    Dwarf_Sword constant = 0;
    return dwarf_formsdata(&attribute, &constant) == 0 ? std::optional<int64_t>(constant) : std::nullopt;
  }
  if (!dwarf_attr_integrate(&die, DW_AT_location, &attribute)) return std::nullopt;
  Dwarf_Op* ops = nullptr;
  size_t count = 0;
  if (dwarf_getlocation_addr(&attribute, address, &ops, &count, 1) != 1) return std::nullopt;
  return Evaluation(frame, function, address, bias, memory).value(ops, count, *type);
}

}  // namespace culprit
