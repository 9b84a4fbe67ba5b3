// Metadata by which later passes find an instruction's place in the program model.
#pragma once

namespace culprit::metadata {

/// On every terminator: !{i32 block}, the block's number in the model.
inline constexpr const char* kBlock = "culprit.block";

/// On every instruction that belongs to a statement: !{i32 statement}.
inline constexpr const char* kStatement = "culprit.statement";

/// On every call that is an operation of kind kCall: !{i32 operation, i32 flags}.
inline constexpr const char* kOperation = "culprit.operation";

/// On an instruction before which a trace records addresses: !{i32 operand, i32 site, …}; operand 0xffffffff: the
/// instruction itself, recorded once the function's bases are known.
inline constexpr const char* kSites = "culprit.sites";

}  // namespace culprit::metadata
