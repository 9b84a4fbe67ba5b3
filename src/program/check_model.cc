#include "program/check_model.h"

#include <fmt/format.h>

#include "base/error.h"

namespace culprit::program {
namespace {

using namespace format;

constexpr uint64_t kGreatestTypeBits = uint64_t{1} << 60;

class Checker {
 public:
  Checker(const ModelView& model, const std::string& name) : model_(model), name_(name) {}

  void check() {
    check_strings();
    check_sizes();
    check_functions();
    check_types();
    check_each("call", model_.calls, [this](const CallRecord& call) {
      const bool direct = call.kind == CallKind::kDirect;
      return call.statement < model_.statements.size() && static_cast<uint8_t>(call.kind) < kCallKinds &&
             (direct ? call.callee < functions() : call.callee == kNone) && is_string(call.signature);
    });
    check_operations();
    check_each("file", model_.files,
               [this](const FileRecord& file) { return is_string(file.directory) && is_string(file.name); });
  }

 private:
  [[noreturn]] void fail(const char* section, size_t record, const char* what) const {
    throw CorruptData(name_, record, fmt::format("{} {}: {}", section, record, what));
  }
  void require(bool holds, const char* section, size_t record, const char* what) const {
    if (!holds) fail(section, record, what);
  }
  template <typename Record, typename Holds>
  void check_each(const char* section, std::span<const Record> records, Holds&& holds) const {
    for (size_t each = 0; each < records.size(); ++each) {
      require(holds(records[each]), section, each, "reference out of range");
    }
  }

  bool is_string(uint32_t reference) const { return reference < model_.strings.size(); }
  bool is_file(uint32_t reference) const { return reference == kNone || reference < model_.files.size(); }
  bool is_type(uint32_t reference) const { return reference == kNone || reference < types(); }
  static bool is_within(uint32_t reference, uint32_t first, uint32_t end) {
    return reference >= first && reference < end;
  }
  uint32_t functions() const { return static_cast<uint32_t>(model_.functions.size()) - 1; }
  uint32_t types() const { return static_cast<uint32_t>(model_.types.size()) - 1; }

  void check_strings() const {
    require(!model_.strings.empty() && model_.strings.front() == '\0' && model_.strings.back() == '\0', "string", 0,
            "strings do not end in a zero byte");
  }

  /// The members `first_…` of a section with a sentinel ascend from `least` to the size of the section they refer to.
  template <typename Record>
  void check_runs(const char* section, std::span<const Record> records, uint32_t Record::*first, size_t end) const {
    require(records.front().*first == 0, section, 0, "first run does not start at 0");
    for (size_t each = 1; each < records.size(); ++each) {
      require(records[each].*first >= records[each - 1].*first, section, each, "runs do not ascend");
    }
    require(records.back().*first == end, section, records.size() - 1, "runs do not cover their section");
  }

  void check_sizes() const {
    require(!model_.functions.empty(), "function", 0, "sentinel missing");
    require(!model_.blocks.empty(), "block", 0, "sentinel missing");
    require(!model_.types.empty(), "type", 0, "sentinel missing");
    require(!model_.loops.empty(), "loop", 0, "sentinel missing");
    check_runs("function", model_.functions, &FunctionRecord::first_block, model_.blocks.size() - 1);
    check_runs("function", model_.functions, &FunctionRecord::first_scope, model_.scopes.size());
    check_runs("function", model_.functions, &FunctionRecord::first_loop, model_.loops.size() - 1);
    // Behind the last function's variables are the globals.
    const uint32_t first_global = model_.functions.back().first_variable;
    require(first_global <= model_.variables.size(), "function", functions(), "variables out of range");
    check_runs("function", model_.functions, &FunctionRecord::first_variable, first_global);
    check_runs("block", model_.blocks, &BlockRecord::first_statement, model_.statements.size());
    check_runs("block", model_.blocks, &BlockRecord::first_edge, model_.edges.size());
    check_runs("block", model_.blocks, &BlockRecord::first_dependence, model_.control_dependences.size());
    require(!model_.operations.empty(), "operation", 0, "sentinel missing");
    check_runs("function", model_.functions, &FunctionRecord::first_cell, model_.cells.size());
    check_runs("function", model_.functions, &FunctionRecord::first_base, model_.bases.size());
    check_runs("block", model_.blocks, &BlockRecord::first_operation, model_.operations.size() - 1);
    check_runs("operation", model_.operations, &OperationRecord::first_operand, model_.operands.size());
    check_runs("operation", model_.operations, &OperationRecord::first_access, model_.accesses.size());
    check_runs("type", model_.types, &TypeRecord::first_member, model_.members.size());
    check_runs("loop", model_.loops, &LoopRecord::first_header, model_.loop_headers.size());
  }

  void check_functions() {
    for (uint32_t index = 0; index < functions(); ++index) {
      const FunctionRecord& function = model_.functions[index];
      const FunctionRecord& next = model_.functions[index + 1];
      require(is_string(function.linkage_name) && is_string(function.name) && is_string(function.qualifier) &&
                  is_string(function.signature) && is_file(function.file) && is_type(function.type),
              "function", index, "reference out of range");
      require(function.first_block == next.first_block || function.first_scope < next.first_scope, "function", index,
              "has blocks and no scope");
      check_blocks(function, next);
      check_scopes(function, next);
      check_loops(function, next);
      for (uint32_t variable = function.first_variable; variable < next.first_variable; ++variable) {
        require(is_within(model_.variables[variable].scope, function.first_scope, next.first_scope), "variable",
                variable, "scope of another function");
      }
    }
    const uint32_t first_global = model_.functions.back().first_variable;
    for (uint32_t index = 0; index < model_.variables.size(); ++index) {
      const VariableRecord& variable = model_.variables[index];
      require(is_string(variable.name) && is_string(variable.symbol) && is_file(variable.file) &&
                  is_type(variable.type) && static_cast<uint8_t>(variable.home) < kHomeKinds,
              "variable", index, "reference out of range");
      const bool in_scope = variable.scope == kNone || variable.scope < model_.scopes.size();
      require(index < first_global || in_scope, "variable", index, "scope out of range");
    }
  }

  void check_blocks(const FunctionRecord& function, const FunctionRecord& next) {
    const auto is_block = [&](uint32_t block) { return is_within(block, function.first_block, next.first_block); };
    for (uint32_t index = function.first_block; index < next.first_block; ++index) {
      const BlockRecord& block = model_.blocks[index];
      const BlockRecord& after = model_.blocks[index + 1];
      require(block.immediate_post_dominator == kNone || is_block(block.immediate_post_dominator), "block", index,
              "post-dominator of another function");
      require(block.innermost_loop == kNone || is_within(block.innermost_loop, function.first_loop, next.first_loop),
              "block", index, "loop of another function");
      for (uint32_t edge = block.first_edge; edge < after.first_edge; ++edge) {
        const uint32_t meaning = model_.edges[edge].meaning;
        const bool is_case = (meaning & ((1u << kEdgeKindBits) - 1)) == static_cast<uint32_t>(EdgeKind::kCase);
        require(is_block(model_.edges[edge].target), "edge", edge, "leads to another function");
        require(!is_case || (meaning >> kEdgeKindBits) < model_.case_values.size(), "edge", edge,
                "case value out of range");
      }
      for (uint32_t each = block.first_dependence; each < after.first_dependence; ++each) {
        require(is_within(model_.control_dependences[each].edge, model_.blocks[function.first_block].first_edge,
                          model_.blocks[next.first_block].first_edge),
                "control dependence", each, "edge of another function");
      }
      check_statements(function, next, block.first_statement, after.first_statement);
    }
    check_tree(function.first_block, next.first_block, "block",
               [this](uint32_t block) { return model_.blocks[block].immediate_post_dominator; });
  }

  void check_statements(const FunctionRecord& function, const FunctionRecord& next, uint32_t first,
                        uint32_t end) const {
    for (uint32_t index = first; index < end; ++index) {
      const StatementRecord& statement = model_.statements[index];
      require(static_cast<uint8_t>(statement.kind) < kStatementKinds, "statement", index, "unknown kind");
      require(is_within(statement.scope, function.first_scope, next.first_scope), "statement", index,
              "scope of another function");
      const bool call = statement.kind == StatementKind::kCall;
      const size_t limit = call ? model_.calls.size() : model_.variables.size();
      require((statement.detail == kNone && !call) || statement.detail < limit, "statement", index,
              "detail out of range");
    }
  }

  void check_scopes(const FunctionRecord& function, const FunctionRecord& next) const {
    for (uint32_t index = function.first_scope; index < next.first_scope; ++index) {
      const ScopeRecord& scope = model_.scopes[index];
      require(scope.parent == kNone || is_within(scope.parent, function.first_scope, index), "scope", index,
              "parent does not come before it");
      require(static_cast<uint8_t>(scope.kind) < kScopeKinds && is_file(scope.file) && is_string(scope.name), "scope",
              index, "reference out of range");
    }
  }

  void check_loops(const FunctionRecord& function, const FunctionRecord& next) const {
    const auto is_block = [&](uint32_t block) { return is_within(block, function.first_block, next.first_block); };
    for (uint32_t index = function.first_loop; index < next.first_loop; ++index) {
      const LoopRecord& loop = model_.loops[index];
      require(loop.parent == kNone || is_within(loop.parent, function.first_loop, index), "loop", index,
              "parent does not come before it");
      require(loop.naturalising_header == kNone || is_block(loop.naturalising_header), "loop", index,
              "header of another function");
      for (uint32_t header = loop.first_header; header < model_.loops[index + 1].first_header; ++header) {
        require(is_block(model_.loop_headers[header].block), "loop header", header, "block of another function");
      }
    }
  }

  void check_operations() const {
    for (uint32_t index = 0; index < functions(); ++index) {
      const FunctionRecord& function = model_.functions[index];
      const FunctionRecord& next = model_.functions[index + 1];
      for (uint32_t block = function.first_block; block < next.first_block; ++block) {
        for (uint32_t each = model_.blocks[block].first_operation; each < model_.blocks[block + 1].first_operation;
             ++each) {
          check_operation(function, next, block, each);
        }
      }
    }
    check_each("base", model_.bases,
               [](const BaseRecord& base) { return base.site != kNone || base.private_offset == kValueBase; });
    check_each("anchor", model_.anchors, [this](const AnchorRecord& anchor) { return is_string(anchor.symbol); });
  }

  void check_operation(const FunctionRecord& function, const FunctionRecord& next, uint32_t block,
                       uint32_t index) const {
    const OperationRecord& operation = model_.operations[index];
    require(static_cast<uint8_t>(operation.kind) < kOperationKinds, "operation", index, "unknown kind");
    require(
        is_within(operation.statement, model_.blocks[block].first_statement, model_.blocks[block + 1].first_statement),
        "operation", index, "statement of another block");
    require(operation.kind != OperationKind::kCall || operation.detail < model_.calls.size(), "operation", index,
            "call out of range");
    const uint32_t first = model_.blocks[function.first_block].first_operation;
    const uint32_t end = model_.blocks[next.first_block].first_operation;
    for (uint32_t each = operation.first_operand; each < model_.operations[index + 1].first_operand; ++each) {
      const OperandRecord& operand = model_.operands[each];
      require(static_cast<uint8_t>(operand.kind) < kOperandKinds && static_cast<uint8_t>(operand.role) < kOperandRoles,
              "operand", each, "unknown kind");
      require(operand.kind != OperandKind::kOperation || is_within(operand.value, first, end), "operand", each,
              "operation of another function");
    }
    for (uint32_t each = operation.first_access; each < model_.operations[index + 1].first_access; ++each) {
      check_access(function, next, each);
    }
  }

  bool is_base_of(const FunctionRecord& function, const FunctionRecord& next, const IndexedRecord& place) const {
    const bool known = place.place == PlaceKind::kFrame
                           ? is_within(place.value, function.first_base, next.first_base)
                           : place.place == PlaceKind::kGlobal && place.value < model_.anchors.size();
    return known && is_within(place.index, function.first_base, next.first_base);
  }

  void check_access(const FunctionRecord& function, const FunctionRecord& next, uint32_t index) const {
    const AccessRecord& access = model_.accesses[index];
    const bool known = static_cast<uint8_t>(access.place) < kPlaceKinds;
    bool holds = known;
    if (access.place == PlaceKind::kCells) {
      holds = access.cells > 0 && is_within(access.value, function.first_cell, next.first_cell) &&
              access.cells <= next.first_cell - access.value;
    } else if (access.place == PlaceKind::kFrame) {
      holds = is_within(access.value, function.first_base, next.first_base);
    } else if (access.place == PlaceKind::kGlobal) {
      holds = access.value < model_.anchors.size();
    } else if (access.place == PlaceKind::kRecorded || access.place == PlaceKind::kLength ||
               access.place == PlaceKind::kSavedArguments || access.place == PlaceKind::kStackArguments) {
      holds = access.value != kNone;
    } else if (access.place == PlaceKind::kIndexed) {
      holds = access.value < model_.indexed.size() && is_base_of(function, next, model_.indexed[access.value]);
    } else if (access.place == PlaceKind::kKept || access.place == PlaceKind::kMoved) {
      holds = is_within(access.bytes, function.first_base, next.first_base);
      const bool from_nothing = access.place == PlaceKind::kMoved && access.value == kNone;
      const bool from_base = is_within(access.value, function.first_base, next.first_base);
      holds = holds && (access.place == PlaceKind::kKept ? access.value != kNone : from_nothing || from_base);
    }
    require(holds, "access", index, known ? "place out of range" : "unknown place");
  }

  void check_types() {
    for (uint32_t index = 0; index < types(); ++index) {
      const TypeRecord& type = model_.types[index];
      require(static_cast<uint8_t>(type.kind) < kTypeKinds && static_cast<uint8_t>(type.encoding) < kBaseEncodings,
              "type", index, "unknown kind");
      require(is_string(type.name) && is_type(type.base), "type", index, "reference out of range");
      require(type.bits < kGreatestTypeBits, "type", index, "larger than any memory");
    }
    check_each("member", model_.members, [this](const MemberRecord& member) {
      return is_string(member.name) && is_type(member.type) && static_cast<uint8_t>(member.kind) < kMemberKinds;
    });
    check_tree(0, types(), "type", [this](uint32_t type) { return model_.types[type].base; });
  }

  /// Following `parent` from any of `first` … `end` - 1 comes to kNone.
  template <typename Parent>
  void check_tree(uint32_t first, uint32_t end, const char* section, Parent&& parent) {
    constexpr uint8_t kUnknown = 0, kOnPath = 1, kEnds = 2;
    state_.assign(end - first, kUnknown);
    for (uint32_t start = first; start < end; ++start) {
      uint32_t at = start;
      for (; at != kNone && state_[at - first] == kUnknown; at = parent(at)) state_[at - first] = kOnPath;
      require(at == kNone || state_[at - first] == kEnds, section, start, "its ancestors form a circle");
      for (at = start; at != kNone && state_[at - first] == kOnPath; at = parent(at)) state_[at - first] = kEnds;
    }
  }

  const ModelView& model_;
  const std::string& name_;
  std::vector<uint8_t> state_;
};

}  // namespace

void check_model(const ModelView& model, const std::string& name) {
  Checker(model, name).check();
}

}  // namespace culprit::program
