// Metadata by which later passes find an instruction's place in the program model.
#pragma once

namespace culprit::metadata {

/// On every terminator: !{i32 block}, the block's number in the model.
inline constexpr const char* kBlock = "culprit.block";

/// On every instruction that belongs to a statement: !{i32 statement}.
inline constexpr const char* kStatement = "culprit.statement";

}  // namespace culprit::metadata
