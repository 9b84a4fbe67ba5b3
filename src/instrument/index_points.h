// Execution-point ids (EPID §II, §III): where they can be asked for, and which calls lead there. The passes of all
// kinds stand on this; format/points_abi.h says what they keep.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <string>
#include <vector>

#include "build/point_options.h"

namespace culprit {

/// What a function's thunk does to the id of the current point, as assembly that finds the top of the thread's point
/// stack in %r11 and may use it; empty when ids are not kept or the function leads to no point.
std::string entry_note(const llvm::Function& function);

/// What a call has to do with points.
enum class CallRole {
  kNone,    ///< no point can be reached from it
  kPoint,   ///< an id may be asked for by what is called, which enters no function of ours that leads to a point
  kDirect,  ///< enters a function that leads to a point
  kOpen,    ///< may enter such functions from outside: indirect calls, and library functions that take callbacks
};

struct PointCallSite {
  llvm::CallBase* call;
  CallRole role;
  bool is_point;           ///< an id may be asked for by the callee itself
  llvm::Function* callee;  ///< kDirect
  uint32_t site;           ///< format::statement_site of its statement
};

/// A function from which a point can be reached.
struct PointFunction {
  llvm::Function* function;
  uint32_t entry_block;              ///< in the program model
  bool entered_from_outside;         ///< by its thunk
  bool reentered;                    ///< control can come back to it past its callees: landing pads, setjmp
  bool returns_twice;                ///< it calls setjmp or its like: what changes must not live in registers
  std::vector<PointCallSite> calls;  ///< all but those of role kNone
};

/// Asks at the statements that the options name: inserts calls of format::kPointReachedSymbol.
void insert_reports(llvm::Module& module, const PointOptions& options);

/// After insert_reports. Functions that cannot lead to a point are left out; the rest come in the module's order.
std::vector<PointFunction> find_point_functions(llvm::Module& module, const PointOptions& options);

/// Makes thunks note entries as the kind needs it.
void note_entries(const std::vector<PointFunction>& functions, format::PointKind kind);

/// A thread's ThreadPoints.
llvm::GlobalVariable& thread_points(llvm::Module& module);
/// The address of a member of ThreadPoints, as a constant that folds into each access.
llvm::Constant* thread_points_address(llvm::Module& module, size_t offset);

/// In the call word that ends at `first_word`: the activation is entered once more.
void count_entry(llvm::IRBuilderBase& builder, llvm::Value* first_word);

/// Calls that may return a second time.
std::vector<llvm::CallInst*> second_returns(llvm::Function& function);

/// Where an activation keeps its words, for kinds that keep the place in a register.
class PointWords {
 public:
  /// Loads the top of the point stack at the function's entry. Functions that are entered from outside put it back
  /// where they return, because whoever called them may enter others from the same call.
  explicit PointWords(const PointFunction& function);

  /// The address of the activation's first word.
  llvm::Value* first() const { return first_; }

  /// Before `call`, writes the call word behind `words` bytes of the activation's own words, which the caller writes,
  /// and publishes the new top. A tail call hands on the place of its activation instead, and counts as an entry.
  void publish(const PointCallSite& call, llvm::Value* first_free);
  void publish(const PointCallSite& call, uint64_t bytes);

  /// An address at `bytes` behind the first word.
  llvm::Value* word(llvm::IRBuilderBase& builder, uint64_t bytes) const;

 private:
  /// A jump to a setjmp is a loop that the flow graph does not show: each return of such a call counts as an entry.
  void count_second_returns();

  llvm::Function& function_;
  llvm::Value* first_;
};

/// Defines format::kPointPlanSymbol, which makes the runtime set up point stacks.
struct PointTables {
  uint64_t row_bytes = 0;
  std::vector<format::PointSite> sites;
  std::vector<format::PointCall> calls;
  std::vector<uint32_t> positions;
};
void define_point_plan(llvm::Module& module, format::PointKind kind, PointTables tables);

}  // namespace culprit
