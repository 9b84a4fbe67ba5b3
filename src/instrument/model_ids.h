// Metadata by which later passes find an instruction's place in the program model.
#pragma once

#include <cstdint>
#include <optional>

namespace llvm {
class Function;
class Instruction;
class MDNode;
}  // namespace llvm

namespace culprit::metadata {

/// On every terminator: !{i32 block}, the block's number in the model.
inline constexpr const char* kBlock = "culprit.block";

/// On every instruction that belongs to a statement: !{i32 statement}.
inline constexpr const char* kStatement = "culprit.statement";

/// On every call that is an operation of kind kCall: !{i32 operation, i32 flags}.
inline constexpr const char* kOperation = "culprit.operation";

/// On an instruction before which a trace records addresses: !{i32 operand, i32 site, …}.
inline constexpr const char* kSites = "culprit.sites";
/// As operands: the instruction itself, recorded once the function's bases are known;
inline constexpr uint32_t kOwnSite = 0xffffffff;
/// behind a va_start, the areas that its list leads to.
inline constexpr uint32_t kSavedArgumentsSite = 0xfffffffe;
inline constexpr uint32_t kStackArgumentsSite = 0xfffffffd;

/// On what is a base of its function, or a variable that is kept: !{i32 number}, among the function's bases.
inline constexpr const char* kBase = "culprit.base";

/// On a store of which the reader of a trace knows without an event what it makes of a kept variable: !{}.
inline constexpr const char* kForeseen = "culprit.foreseen";

}  // namespace culprit::metadata

namespace culprit {

/// An operand of a metadata node that holds numbers.
uint64_t number_in(const llvm::MDNode& node, unsigned operand);

/// The same of an instruction's metadata; nothing when it has none of the kind.
std::optional<uint32_t> number_in(const llvm::Instruction& instruction, const char* kind, unsigned operand = 0);

/// The number of a function's entry block, which is the lowest of its blocks (a tick may have been put in front of it);
/// nothing for what passes made after the model was taken.
std::optional<uint32_t> entry_block_number(const llvm::Function& function);

}  // namespace culprit
