// How evidence becomes a ranking.
#include "locate/own_statements.h"
#include "locate/suspects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program/sample_model.h"

namespace culprit {
namespace {

using program::SampleModel;
using testing::ElementsAre;

// Statements of the sample: 1 is line 6, 2 line 7, 3 and 4 line 8, 5 line 10, 6 line 12.
constexpr uint32_t kLine6 = 1, kLine7 = 2, kLine8 = 4, kLine10 = 5, kLine12 = 6;

class Suspects : public testing::Test {
 protected:
  Suspects() : model_(program::ProgramModel::from_bytes(program::model_bytes(SampleModel::tables()), "sample")) {
    fail_at(kLine8);
    evidence_.failure = &failure_;
    evidence_.run = &run_;
    evidence_.frames = &run_.end.frames;
    evidence_.variables = &run_.variables;
  }

  void fail_at(uint32_t statement) {
    run_.end.frames = {{.entry_block = 0, .statement = statement, .user_frame = 0, .private_frame = 0}};
    failure_ = {.kind = "null-dereference", .message = "", .place = place_of_statement(model_, statement)};
  }

  static CriticalBranch branch(uint32_t block, Repair repair, bool verified = true) {
    CriticalBranch result;
    result.instance = 1;
    result.block = block;
    result.repair = repair;
    result.other_way = 1;
    result.verified = verified;
    return result;
  }

  std::vector<uint32_t> lines() const {
    std::vector<uint32_t> result;
    for (const report::Suspect& each : rank_suspects(model_, evidence_)) {
      EXPECT_EQ(each.rank, result.size() + 1);
      EXPECT_FALSE(each.why.empty());
      result.push_back(each.place.line);
    }
    return result;
  }

  program::ProgramModel model_;
  ObservedRun run_;
  report::Failure failure_;
  Evidence evidence_;
};

TEST_F(Suspects, StartWithTheFailureWhenNothingElseIsKnown) {
  fail_at(kLine12);
  EXPECT_EQ(lines().front(), 12U);
}

TEST_F(Suspects, PutABranchThatGivesTheExpectedOutputFirst) {
  failure_.kind = "wrong-output";
  evidence_.expected_output = true;
  evidence_.critical = {branch(SampleModel::kHead, Repair::kRepairs)};
  EXPECT_EQ(lines().front(), 6U);
}

TEST_F(Suspects, LeaveOutBranchesThatWereNotVerified) {
  fail_at(kLine12);
  evidence_.critical = {branch(SampleModel::kBody, Repair::kRepairs, false)};
  EXPECT_THAT(lines(), testing::Not(testing::Contains(8U)));
}

TEST_F(Suspects, NameTheReleaseBeforeTheUse) {
  HeapFault fault;
  fault.error = HeapError::kUsedAfterFree;
  fault.allocated = {kLine6};
  fault.freed = {kLine10};
  fault.access = run_.end.frames;
  evidence_.heap = {fault};
  const auto ranked = lines();
  EXPECT_EQ(ranked[0], 8U);  // the use is the failure, too
  EXPECT_EQ(ranked[1], 10U);
  failure_.kind = "wrong-output";
  failure_.place = place_of_statement(model_, kLine12);
  EXPECT_EQ(lines()[0], 10U);
}

TEST_F(Suspects, NameTheExitsOfALoopThatDoesNotEnd) {
  failure_.kind = "hang";
  run_.log.entries = {{.block = SampleModel::kHead, .way = 0},
                      {.block = SampleModel::kBody, .way = 0},
                      {.block = SampleModel::kHead, .way = 0},
                      {.block = SampleModel::kBody, .way = 0}};
  evidence_.endless = endless_loop(model_, run_.end.frames, run_.log);
  ASSERT_TRUE(evidence_.endless);
  EXPECT_THAT(evidence_.endless->exits, ElementsAre(SampleModel::kHead));
  EXPECT_EQ(evidence_.endless->activation, 0U);
  EXPECT_EQ(lines()[1], 6U);
  run_.end.frames.front().statement = kLine12;  // behind the loop
  EXPECT_FALSE(endless_loop(model_, run_.end.frames, run_.log));
}

TEST_F(Suspects, TellTheDecisionThatWasMade) {
  run_.log.entries = {{.block = SampleModel::kHead, .way = 0}, {.block = SampleModel::kBody, .way = 0}};
  // The switch is on the failing line itself, so that what decided that it was executed is told, too.
  EXPECT_THAT(lines(), ElementsAre(8U, 6U));
  fail_at(kLine7);
  EXPECT_THAT(lines(), ElementsAre(7U, 6U));
}

TEST_F(Suspects, FindWhereTwoChainsOfCallsPart) {
  EXPECT_EQ(where_chains_part(model_, {kLine7, kLine12}, {kLine12}), kLine12);
  EXPECT_EQ(where_chains_part(model_, {kLine7, kLine12}, {kLine8, kLine12}), kLine7);
  EXPECT_EQ(where_chains_part(model_, {kLine7, kLine12}, {kLine8, kLine10}), kLine12);
  EXPECT_EQ(where_chains_part(model_, {}, {kLine8}), program::kNone);
}

}  // namespace
}  // namespace culprit
