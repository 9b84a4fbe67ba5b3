#include "index/version_model.h"

#include "program/model_file.h"
#include "program/model_sections.h"

namespace culprit::tests {

using namespace format;

program::ProgramModel version_model(const std::filesystem::path& folder,
                                    const std::vector<VersionFunction>& functions) {
  program::ModelTables model;
  program::StringTable strings(model.strings);
  const auto size = [](const auto& table) { return static_cast<uint32_t>(table.size()); };
  for (const VersionFunction& function : functions) {
    const uint32_t file = size(model.files), scope = size(model.scopes), first_block = size(model.blocks);
    model.files.push_back({strings.add(folder.string()), strings.add(function.file)});
    model.scopes.push_back({.parent = kNone,
                            .file = file,
                            .line = 1,
                            .column = 0,
                            .kind = ScopeKind::kFunction,
                            .reserved = 0,
                            .name = 0});
    FunctionRecord record{};
    record.linkage_name = record.name = strings.add(function.symbol);
    record.file = file;
    record.type = kNone;
    record.first_block = first_block;
    record.first_scope = scope;
    model.functions.push_back(record);
    for (const VersionBlock& block : function.blocks) {
      model.blocks.push_back({.first_statement = size(model.statements),
                              .first_edge = size(model.edges),
                              .first_dependence = 0,
                              .immediate_post_dominator = kNone,
                              .innermost_loop = kNone,
                              .first_operation = size(model.operations)});
      for (const uint32_t line : block.lines) {
        model.operations.push_back({.statement = size(model.statements),
                                    .first_operand = 0,
                                    .first_access = 0,
                                    .detail = kNone,
                                    .kind = OperationKind::kCompute,
                                    .flags = 0,
                                    .bytes = 0});
        model.statements.push_back(
            {.line = line, .column = 0, .kind = block.kind, .flags = 0, .scope = scope, .detail = kNone});
      }
      for (uint32_t each = 0; each < block.targets.size(); ++each) {
        const bool alone = block.targets.size() == 1;
        const auto kind = static_cast<uint32_t>(alone ? EdgeKind::kAlways : EdgeKind::kCase);
        model.edges.push_back({first_block + block.targets[each], alone ? kind : kind | each << kEdgeKindBits});
        if (!alone && each >= model.case_values.size()) model.case_values.push_back({each});
      }
    }
  }
  program::complete_model(model, 0, [](std::string_view) { return false; });
  return program::ProgramModel::from_bytes(program::model_bytes(model), "version");
}

}  // namespace culprit::tests
