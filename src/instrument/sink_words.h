// Words of the point stack written where calls read them, once callees have been inlined: a partial elimination of dead
// stores (Knoop, Rüthing, Steffen, "Partial Dead Code Elimination") for memory that only certain calls look at.
#pragma once

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace culprit {

/// On calls whose callees leave the word before their own as it is; others may count entries in it.
inline constexpr const char* kKeepsCallWordAttribute = "culprit-keeps-call-word";

/// A store of a word at a place above the top of the point stack as it was where the function was entered.
struct WordStore {
  llvm::StoreInst* store;
  int64_t place;  ///< bytes
};

/// A call that may lead to a point: it reads all words below the top, and leaves anything above.
struct WordsReader {
  llvm::CallBase* call;
  int64_t top;  ///< while it is made, in bytes above the top at entry
};

/// Takes out the stores of words whose value is known at each reader, and writes them before those readers where memory
/// does not hold them already, or before loops whose readers want them more often than the loops are entered. `top`: the
/// address of the thread's top.
///
/// Returns the loads of the top that it made, and what is to be added to the top at entry there.
std::vector<std::pair<llvm::LoadInst*, int64_t>> sink_words(llvm::Function& function,
                                                            const std::vector<WordStore>& stores,
                                                            const std::vector<WordsReader>& readers,
                                                            llvm::Constant* top);

}  // namespace culprit
