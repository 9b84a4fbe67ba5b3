#include "instrument/pipeline.h"

#include <llvm/IR/Constants.h>

#include "base/error.h"
#include "format/runtime_abi.h"
#include "instrument/alterable_writes.h"
#include "instrument/assembly_names.h"
#include "instrument/bodies.h"
#include "instrument/bounds_hooks.h"
#include "instrument/count_hooks.h"
#include "instrument/describe_variables.h"
#include "instrument/extract_model.h"
#include "instrument/forget_marks.h"
#include "instrument/forget_variables.h"
#include "instrument/halves.h"
#include "instrument/index_kinds.h"
#include "instrument/invariant_loads.h"
#include "instrument/lower_indirect_branches.h"
#include "instrument/merge_globals.h"
#include "instrument/normalise.h"
#include "instrument/place_variables.h"
#include "instrument/session_hooks.h"
#include "instrument/split_coroutines.h"
#include "instrument/thunks.h"
#include "instrument/ticks.h"
#include "instrument/trace_hooks.h"
#include "instrument/unit_boundaries.h"
#include "instrument/variable_lifetimes.h"
#include "instrument/widen_indices.h"

namespace culprit {
namespace {

using format::TraceContents;

/// What the runtime gives every new thread as ThreadState::observe.
void define_initial_observe(llvm::Module& program, bool observed) {
  auto* byte = llvm::Type::getInt8Ty(program.getContext());
  auto* value = llvm::ConstantInt::get(byte, observed ? format::kObservedBodies : format::kFastBodies);
  auto* variable = new llvm::GlobalVariable(program, byte, /*isConstant=*/false, llvm::GlobalValue::ExternalLinkage,
                                            value, format::kInitialObserveSymbol);
  variable->setVisibility(llvm::GlobalValue::HiddenVisibility);
}

TraceContents contents_of(Hooks hooks) {
  if (hooks == Hooks::kPath) return TraceContents::kPath;
  return hooks == Hooks::kValues ? TraceContents::kValues : TraceContents::kAll;
}

void insert_observation(llvm::Module& half, const Plan& plan) {
  if (plan.hooks == Hooks::kCounts) insert_count_hooks(half);
  const bool homes = plan.observed == ObservedBodies::kHomes;
  const bool trace = traces(plan.hooks);
  if (trace && plan.alterable) insert_alterable_writes(half);
  if (trace) insert_trace_hooks(half, contents_of(plan.hooks));
  if (!homes && !trace) keep_variables_until_return(half);
  for (llvm::Function& function : half) {
    if (!is_instrumented(function)) continue;
    lower_private_homes(function, homes ? PrivateHomes::kAll : PrivateHomes::kInMemory);
    if (!trace) describe_variables(function);
  }
  if (trace) forget_local_variables(half);
  if (plan.hooks == Hooks::kSession) {
    insert_bounds_hooks(half);
    insert_session_hooks(half, plan.alterable);
  } else if (homes) {
    insert_statement_barriers(half);
  }
}

}  // namespace

PipelineReport instrument_program(std::unique_ptr<llvm::Module>& fast_half, const Plan& plan,
                                  const std::filesystem::path& model) {
  PipelineReport report;
  llvm::Module& program = *fast_half;
  // What an optimiser would conclude from C's promises is concluded once, for all bodies.
  widen_indices(program);
  mark_invariant_loads(program);
  // What C leaves open gets one meaning.
  normalise(program);
  // What runs before the runtime can, or has no body of ours, is set apart.
  report.native_functions = set_apart_native_functions(program);
  // Coroutines become ordinary functions.
  for (llvm::Function* function : split_coroutines(program)) {
    function->addFnAttr(kSingleBodyAttribute, "a coroutine that could not be split");
  }
  // Labels become numbers, so that they mean the same in every body.
  for (llvm::Function* function : lower_indirect_branches(program)) {
    function->addFnAttr(kSingleBodyAttribute, "its inline assembly uses the address of a label");
  }
  // Variables get their places: addresses that the program can see are the same in every body.
  merge_globals(program);
  place_variables(program);
  // The program is described, and its blocks and statements numbered, while it is still the same for every plan.
  mark_single_bodies(program);
  ModelInWriting described;
  if (!model.empty()) described = extract_and_write_model(program, model);
  // Loops read what does not change once.
  hoist_invariant_loads(program);
  // Time gets a measure that all bodies share.
  if (plan.ticks) {
    const TickPlaces places = place_ticks(program, plan.fine_ticks);
    report.ticks = places.ticks;
    report.counted_loops = places.counted_loops;
  }
  // Activations keep what names the current point of the execution.
  insert_point_ids(program, plan.points);
  // What the user's compiler could not inline stays apart.
  keep_unit_boundaries(program);
  // Functions become fast bodies, their symbols thunks.
  const llvm::StringSet<> named_in_assembly = names_in_assembly(program);
  FastBodies bodies = make_fast_bodies(program, named_in_assembly);
  report.functions = bodies.functions;
  // The fast half is the same in every plan: what observed bodies could refer to is visible.
  report.single_bodies = share_with_observed_half(program, bodies, named_in_assembly);
  // Beside bodies that keep ids there are no others.
  if (plan.points.kind != format::PointKind::kNone) {
    for (Thunk& thunk : bodies.thunks) thunk.observed_body.clear();
  }
  // Observed bodies go to a half of their own.
  if (plan.observed != ObservedBodies::kNone) {
    report.observed_half = plan.fast_bodies ? copy_observed_half(program) : take_observed_half(fast_half, bodies);
    if (plan.hooks != Hooks::kSession) settle_guarded_loads(*report.observed_half);
    if (traces(plan.hooks)) define_trace_tables(*report.observed_half, described.anchors);
    insert_observation(*report.observed_half, plan);
    if (traces(plan.hooks)) insert_trace_entries(*report.observed_half, bodies.thunks);
    define_initial_observe(*report.observed_half, plan.start_observed);
    forget_marks(*report.observed_half);
    report.observed_parts =
        divide(*report.observed_half, named_in_assembly, plan.quick_code ? PartCode::kQuick : PartCode::kOptimised);
  }
  settle_guarded_loads(*fast_half);
  if (!plan.fast_bodies) forget_local_variables(*fast_half);
  forget_marks(*fast_half);
  emit_thunks(*fast_half, bodies.thunks, bodies.aliases, plan.ticks ? Entries::kTick : Entries::kPlain);
  report.fast_parts = divide(*fast_half, named_in_assembly, PartCode::kOptimised);
  if (described.written.valid()) described.written.get();
  return report;
}

}  // namespace culprit
