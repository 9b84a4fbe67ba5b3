#include "trace/trace_start.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/file.h"
#include "format/trace_format.h"

namespace culprit::trace {
namespace {

using namespace format;

class Reader {
 public:
  Reader(const std::filesystem::path& file, const program::ProgramModel& model)
      : model_(model), name_(file.string()), bytes_(read_file(file)) {}

  TraceBeginning read() {
    const auto start = next<TraceStart>();
    if (std::memcmp(start.magic, kTraceStartMagic, sizeof(start.magic)) != 0) fail("is no beginning of a trace");
    if (start.version != kTraceVersion) {
      fail(fmt::format("is of version {}, this Culprit reads version {}", start.version, kTraceVersion));
    }
    TraceBeginning beginning;
    beginning.numbered = start.numbered;
    beginning.sites = words(start.sites);
    for (uint64_t each = 0; each < start.activations; ++each) beginning.activations.push_back(activation());
    std::vector<BegunActivation>& activations = beginning.activations;
    if (activations.empty()) fail("has no activations");
    BegunActivation& innermost = activations.front();
    const bool begins = (start.place & kTraceBehindCall) == 0;
    innermost.call = begins ? kNone : start.place & ~kTraceBehindCall;
    if (begins && start.place >= model_.blocks().size()) fail("begins in a block that does not exist");
    for (const BegunActivation& each : activations) {
      if (&each != &innermost || !begins) check_call(each);
    }
    beginning.block = begins ? start.place : model_.block_of_operation(innermost.call);
    if (model_.function_of_block(beginning.block) != innermost.function) fail("begins in another function");
    std::reverse(activations.begin(), activations.end());
    for (size_t each = 1; each < activations.size(); ++each) {
      activations[each].by_native = enters_native(activations[each - 1].call);
    }
    activations.front().by_native = true;
    return beginning;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw CorruptData(name_, at_, what); }

  template <typename Record>
  Record next() {
    Record record;
    if (bytes_.size() - at_ < sizeof(record)) fail("ends too early");
    std::memcpy(&record, bytes_.data() + at_, sizeof(record));
    at_ += sizeof(record);
    return record;
  }

  std::vector<uint64_t> words(uint64_t count) {
    if (count > (bytes_.size() - at_) / sizeof(uint64_t)) fail("ends too early");
    std::vector<uint64_t> words(count);
    std::memcpy(words.data(), bytes_.data() + at_, count * sizeof(uint64_t));
    at_ += count * sizeof(uint64_t);
    return words;
  }

  BegunActivation activation() {
    const auto begun = next<TraceBegun>();
    if (begun.entry_block >= model_.blocks().size()) fail("entry of a block that does not exist");
    BegunActivation activation;
    activation.function = model_.function_of_block(begun.entry_block);
    activation.call = begun.call;
    activation.number = begun.activation;
    if (begun.bases != model_.bases_of(activation.function).size()) fail("a function has other bases");
    activation.bases = words(begun.bases);
    return activation;
  }

  void check_call(const BegunActivation& activation) const {
    const bool exists = activation.call < model_.sections().operations.size();
    if (!exists || model_.operation(activation.call).kind != OperationKind::kCall) {
      fail("an activation waits for what is no call");
    }
    const uint32_t block = model_.block_of_operation(activation.call);
    if (model_.function_of_block(block) != activation.function) fail("an activation calls from another function");
  }

  /// A call of a function that has no body: what it entered, native code called.
  bool enters_native(uint32_t call) const {
    const OperationRecord& operation = model_.operation(call);
    if ((operation.flags & kOperationEnters) != 0 || operation.detail == kNone) return false;
    const uint32_t callee = model_.call(operation.detail).callee;
    return callee != kNone && (model_.function(callee).flags & kFunctionNative) != 0;
  }

  const program::ProgramModel& model_;
  std::string name_;
  std::string bytes_;
  uint64_t at_ = 0;
};

}  // namespace

TraceBeginning read_beginning(const std::filesystem::path& file, const program::ProgramModel& model) {
  return Reader(file, model).read();
}

}  // namespace culprit::trace
