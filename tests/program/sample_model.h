// A small model made by hand, as the extraction would make it from:
//
//   /src/sample.c
//    3  int total;
//    5  int add(int n) {
//    6    while (n > 0) {
//    7      int step = n;
//    8      switch (step) { case 3: total += step; }
//   10      n = n - 1;
//       }
//   12    return twice(n);
//       }
#pragma once

#include "program/model_sections.h"

namespace culprit::program {

struct SampleModel {
  // Blocks of `add`, in order; `twice` is native.
  static constexpr uint32_t kEntry = 0, kHead = 1, kBody = 2, kCase = 3, kNext = 4, kEnd = 5;
  static constexpr uint32_t kInt = 0, kFunctionType = 1;

  static ModelTables tables() {
    using namespace format;
    ModelTables model;
    StringTable strings(model.strings);
    const auto text = [&](const char* each) { return strings.add(each); };
    model.files = {{text("/src"), text("./sample.c")}};

    TypeRecord type{};
    type.name = text("int");
    type.base = kNone;
    type.kind = TypeKind::kBase;
    type.encoding = BaseEncoding::kSigned;
    type.bits = 32;
    model.types.push_back(type);
    type = {};
    type.kind = TypeKind::kFunction;
    type.base = kInt;
    model.types.push_back(type);
    MemberRecord parameter{};
    parameter.type = kInt;
    parameter.kind = MemberKind::kParameter;
    model.members.push_back(parameter);

    model.scopes = {
        {.parent = kNone, .file = 0, .line = 5, .column = 0, .kind = ScopeKind::kFunction, .reserved = 0, .name = 0},
        {.parent = 0, .file = 0, .line = 6, .column = 17, .kind = ScopeKind::kBlock, .reserved = 0, .name = 0}};

    const auto variable = [&](const char* name, uint32_t scope, uint32_t line, HomeKind home, int64_t offset) {
      VariableRecord record{};
      record.name = text(name);
      record.type = kInt;
      record.scope = scope;
      record.file = 0;
      record.line = line;
      record.home = home;
      record.offset = offset;
      model.variables.push_back(record);
    };
    variable("n", 0, 5, HomeKind::kPrivateSlot, 0);
    model.variables.back().argument = 1;
    model.variables.back().flags = kVariableParameter;
    variable("step", 1, 7, HomeKind::kUserStack, 16);
    variable("total", kNone, 3, HomeKind::kGlobal, 8);
    model.variables.back().symbol = text("culprit_globals");

    const auto function = [&](const char* name, uint32_t line, uint32_t flags) {
      FunctionRecord record{};
      record.linkage_name = record.name = text(name);
      record.file = 0;
      record.line = line;
      record.type = kFunctionType;
      record.signature = text("i32 (i32)");
      record.flags = flags;
      record.first_block = static_cast<uint32_t>(model.blocks.size());
      record.first_scope = flags & kFunctionNative ? 2 : 0;
      record.first_variable = flags & kFunctionNative ? 2 : 0;
      model.functions.push_back(record);
    };
    function("add", 5, kFunctionExported);
    const auto block = [&](std::vector<EdgeRecord> edges, std::vector<StatementRecord> statements) {
      model.blocks.push_back({.first_statement = static_cast<uint32_t>(model.statements.size()),
                              .first_edge = static_cast<uint32_t>(model.edges.size()),
                              .first_dependence = 0,
                              .immediate_post_dominator = kNone,
                              .innermost_loop = kNone,
                              .first_operation = 0});
      model.edges.insert(model.edges.end(), edges.begin(), edges.end());
      model.statements.insert(model.statements.end(), statements.begin(), statements.end());
    };
    const auto edge = [](uint32_t target, EdgeKind kind, uint32_t value = 0) {
      return EdgeRecord{target, static_cast<uint32_t>(kind) | value << kEdgeKindBits};
    };
    const auto statement = [](uint32_t line, uint16_t column, StatementKind kind, uint32_t scope,
                              uint32_t detail = kNone) {
      return StatementRecord{
          .line = line, .column = column, .kind = kind, .flags = 0, .scope = scope, .detail = detail};
    };
    using enum StatementKind;
    block({edge(kHead, EdgeKind::kAlways)}, {statement(5, 0, kPrologue, 0)});
    block({edge(kBody, EdgeKind::kTrue), edge(kEnd, EdgeKind::kFalse)}, {statement(6, 3, kBranch, 0)});
    block({edge(kNext, EdgeKind::kDefault), edge(kCase, EdgeKind::kCase, 0)},
          {statement(7, 9, kAssignment, 1, 1), statement(8, 5, kSwitch, 1)});
    block({edge(kNext, EdgeKind::kAlways)}, {statement(8, 35, kAssignment, 1, 2)});
    block({edge(kHead, EdgeKind::kAlways)}, {statement(10, 7, kAssignment, 1, 0)});
    block({}, {statement(12, 10, kCall, 0, 0), statement(12, 3, kReturn, 0)});
    model.case_values = {{3}};
    model.calls = {{.statement = 6,
                    .callee = 1,
                    .signature = text("i32 (i32)"),
                    .kind = CallKind::kDirect,
                    .reserved = 0,
                    .arguments = 1}};
    function("twice", 0, kFunctionNative);
    complete_model(model, 2, [](std::string_view) { return false; });
    return model;
  }
};

}  // namespace culprit::program
