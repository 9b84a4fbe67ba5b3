// Writing and reading a model, what its accessors say, and that no damage gets past the checks.
#include "program/program_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <xxhash.h>

#include <cstring>
#include <random>

#include "base/error.h"
#include "program/sample_model.h"
#include "program/type_name.h"

namespace culprit::program {
namespace {

using testing::ElementsAre;

ProgramModel sample() {
  return ProgramModel::from_bytes(model_bytes(SampleModel::tables()), "sample");
}

std::vector<uint32_t> listed(Indices indices) {
  return {indices.begin(), indices.end()};
}

TEST(ProgramModel, ReadsBackWhatWasWritten) {
  const ModelTables tables = SampleModel::tables();
  const ProgramModel model = sample();
  int sections = 0;
  std::vector<std::string> written;
  for_each_section(tables, [&](format::ModelSectionKind, const auto& table) {
    const auto bytes = std::as_bytes(std::span(table));
    written.emplace_back(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  for_each_section(model.sections(), [&](format::ModelSectionKind, const auto& view) {
    const auto bytes = std::as_bytes(view);
    EXPECT_EQ(written[sections++], std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  });
  EXPECT_EQ(sections, static_cast<int>(format::kModelSectionKinds));
}

TEST(ProgramModel, EqualTablesGiveEqualBytes) {
  EXPECT_EQ(model_bytes(SampleModel::tables()), model_bytes(SampleModel::tables()));
  EXPECT_EQ(sample().identity(), sample().identity());
}

TEST(ProgramModel, KnowsWhatBelongsToWhat) {
  const ProgramModel model = sample();
  EXPECT_THAT(listed(model.functions()), ElementsAre(0, 1));
  EXPECT_THAT(listed(model.blocks_of(0)), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(listed(model.blocks_of(1)), ElementsAre());
  EXPECT_THAT(listed(model.statements_of(SampleModel::kBody)), ElementsAre(2, 3));
  EXPECT_THAT(listed(model.globals()), ElementsAre(2));
  EXPECT_EQ(model.block_of_statement(3), SampleModel::kBody);
  EXPECT_EQ(model.function_of_statement(7), 0u);
  EXPECT_EQ(model.source_of_edge(4), SampleModel::kBody);
  EXPECT_EQ(model.edge_text(1), "true");
  EXPECT_EQ(model.edge_text(4), "case 3");
  EXPECT_EQ(model.position_text(3), "sample.c:8:5");
  EXPECT_EQ(model.file_path(0), "/src/sample.c");
}

TEST(ProgramModel, HoldsStructure) {
  const ProgramModel model = sample();
  EXPECT_EQ(model.block(SampleModel::kBody).immediate_post_dominator, SampleModel::kNext);
  EXPECT_EQ(model.block(SampleModel::kEnd).immediate_post_dominator, kNone);
  ASSERT_EQ(model.dependences_of(SampleModel::kCase).size(), 1u);
  EXPECT_EQ(model.edge_text(model.dependences_of(SampleModel::kCase)[0].edge), "case 3");
  ASSERT_EQ(model.loops_of(0).size(), 1u);
  EXPECT_EQ(model.headers_of(0)[0].block, SampleModel::kHead);
  EXPECT_EQ(model.loop(0).flags, format::kLoopNatural);
  EXPECT_EQ(model.block(SampleModel::kCase).innermost_loop, 0u);
  EXPECT_EQ(model.block(SampleModel::kEnd).innermost_loop, kNone);
}

TEST(ProgramModel, CompressesLongSections) {
  ModelTables tables = SampleModel::tables();
  tables.strings.insert(tables.strings.end(), 100'000, 'x');
  tables.strings.push_back('\0');
  const auto bytes = model_bytes(tables);
  EXPECT_LT(bytes.size(), 10'000u);
  EXPECT_EQ(ProgramModel::from_bytes(bytes, "long").sections().strings.size(), tables.strings.size());
}

TEST(ProgramModel, EveryTruncationIsNoticed) {
  const auto whole = model_bytes(SampleModel::tables());
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(ProgramModel::from_bytes({whole.begin(), whole.begin() + static_cast<long>(size)}, "cut"),
                 CorruptData);
  }
}

TEST(ProgramModel, EveryFlippedBitIsNoticed) {
  const auto whole = model_bytes(SampleModel::tables());
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    // The identity and the reserved word of the header are compared with nothing in the file.
    if (bit / 8 >= offsetof(format::ModelHeader, identity) && bit / 8 < offsetof(format::ModelHeader, section_count))
      continue;
    if (bit / 8 >= offsetof(format::ModelHeader, reserved) && bit / 8 < sizeof(format::ModelHeader)) continue;
    auto damaged = whole;
    damaged[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    EXPECT_THROW(ProgramModel::from_bytes(damaged, "flipped"), CorruptData) << "bit " << bit;
  }
}

/// Follows everything that the accessors offer.
size_t walk(const ProgramModel& model) {
  size_t seen = 0;
  for (const uint32_t function : model.functions()) {
    seen += model.function_name(function).size() + model.file_path(model.function(function).file).size();
    if (!model.blocks_of(function).empty()) seen += model.graph_of(function).edge_count();
    for (const uint32_t block : model.blocks_of(function)) {
      for (uint32_t at = block; at != kNone; at = model.block(at).immediate_post_dominator) ++seen;
      for (const auto& each : model.dependences_of(block)) seen += model.source_of_edge(each.edge);
      for (const uint32_t edge : model.edges_of(block)) seen += model.edge_text(edge).size();
      for (const uint32_t statement : model.statements_of(block)) {
        seen += model.position_text(statement).size() + model.function_of_statement(statement);
        for (uint32_t at = model.statement(statement).scope; at != kNone; at = model.scope(at).parent) ++seen;
      }
    }
    for (const uint32_t loop : model.loops_of(function)) {
      for (const auto& header : model.headers_of(loop)) seen += header.block;
    }
    for (const uint32_t variable : model.variables_of(function)) {
      seen += type_name(model, model.variable(variable).type, std::string(model.text(model.variable(variable).name)))
                  .size();
    }
  }
  for (const uint32_t type : model.types()) seen += type_name(model, type).size() + stripped_type(model, type);
  return seen;
}

TEST(ProgramModel, DamageBehindARightChecksumNeverCrashes) {
  const auto whole = model_bytes(SampleModel::tables());
  std::mt19937 random(1);
  int accepted = 0, refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    auto damaged = whole;
    for (uint32_t each = 1 + random() % 3; each > 0; --each) {
      const size_t at = sizeof(format::ModelHeader) + random() % (whole.size() - sizeof(format::ModelHeader));
      damaged[at] = static_cast<std::byte>(random() % 4 == 0 ? 0xff : random());
    }
    const uint64_t checksum =
        XXH3_64bits(damaged.data() + sizeof(format::ModelHeader), damaged.size() - sizeof(format::ModelHeader));
    std::memcpy(damaged.data() + offsetof(format::ModelHeader, checksum), &checksum, sizeof(checksum));
    try {
      accepted += walk(ProgramModel::from_bytes(damaged, "damaged")) > 0;
    } catch (const CorruptData&) {
      ++refused;
    }
  }
  EXPECT_GT(accepted, 1000);
  EXPECT_GT(refused, 1000);
}

TEST(TypeName, WritesDeclarators) {
  using namespace format;
  ModelTables tables = SampleModel::tables();
  tables.types.pop_back();
  StringTable strings(tables.strings);
  const auto add = [&](TypeKind kind, uint32_t base, uint64_t count = 0) {
    TypeRecord type{};
    type.kind = kind;
    type.base = base;
    type.count = count;
    type.first_member = static_cast<uint32_t>(tables.members.size());
    tables.types.push_back(type);
    return static_cast<uint32_t>(tables.types.size()) - 1;
  };
  const uint32_t pointer = add(TypeKind::kPointer, SampleModel::kInt);
  const uint32_t const_pointer = add(TypeKind::kConst, pointer);
  const uint32_t to_const = add(TypeKind::kPointer, add(TypeKind::kConst, SampleModel::kInt));
  const uint32_t array = add(TypeKind::kArray, add(TypeKind::kArray, SampleModel::kInt, 3), 2);
  const uint32_t to_array = add(TypeKind::kPointer, array);
  const uint32_t to_function = add(TypeKind::kPointer, SampleModel::kFunctionType);
  const uint32_t functions = add(TypeKind::kArray, to_function, 4);
  const uint32_t to_void = add(TypeKind::kPointer, kNone);
  add(TypeKind::kBase, kNone);  // in the sentinel's place
  const ProgramModel model = ProgramModel::from_bytes(model_bytes(tables), "types");
  EXPECT_EQ(type_name(model, pointer, "p"), "int *p");
  EXPECT_EQ(type_name(model, const_pointer, "p"), "int *const p");
  EXPECT_EQ(type_name(model, to_const, "p"), "const int *p");
  EXPECT_EQ(type_name(model, array, "a"), "int a[2][3]");
  EXPECT_EQ(type_name(model, to_array, "p"), "int (*p)[2][3]");
  EXPECT_EQ(type_name(model, to_function, "f"), "int (*f)(int)");
  EXPECT_EQ(type_name(model, functions, "f"), "int (*f[4])(int)");
  EXPECT_EQ(type_name(model, to_void), "void *");
  EXPECT_EQ(type_name(model, kNone), "void");
}

}  // namespace
}  // namespace culprit::program
