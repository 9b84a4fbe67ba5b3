// Which functions outside a program it uses.
#include "program/external_functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program/sample_model.h"

namespace culprit::program {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;

TEST(ExternalFunctions, AreThoseWithoutABodyThatAreCalled) {
  const ProgramModel model = ProgramModel::from_bytes(model_bytes(SampleModel::tables()), "sample");
  const std::vector<ExternalFunction> found = external_functions(model);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].symbol, "twice");
  EXPECT_EQ(found[0].calls, 1u);
  EXPECT_FALSE(found[0].described);
}

TEST(ExternalFunctions, SomeAreDescribed) {
  ModelTables tables = SampleModel::tables();
  StringTable strings(tables.strings);
  for (auto& function : tables.functions) {
    if (std::string_view(tables.strings.data() + function.linkage_name) == "twice")
      function.linkage_name = strings.add("abs");
  }
  const ProgramModel model = ProgramModel::from_bytes(model_bytes(tables), "sample");
  EXPECT_THAT(external_functions(model), ElementsAre(Field(&ExternalFunction::described, true)));
}

}  // namespace
}  // namespace culprit::program
