// Statements with the evidence against them, added up.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "locate/suspects.h"

namespace culprit {

class SuspectRanking {
 public:
  SuspectRanking(const program::ProgramModel& model, const Evidence& evidence);

  /// Evidence against a place; of equal places the strongest is told, and half of what else there is counts.
  void add(const report::SourcePlace& place, double score, const std::string& why);
  void add_statement(uint32_t statement, double score, const std::string& why);

  /// The first `most` by what was added up.
  std::vector<report::Suspect> strongest(size_t most) const;

  /// What a block's place counts: in the failing function most, in one that was active some.
  double nearness(uint32_t block) const;
  /// Whether the program gave up where this switch leads without a case for its value.
  bool has_no_case(uint32_t block) const;

  const program::ProgramModel& model() const { return model_; }
  const Evidence& evidence() const { return evidence_; }
  /// Of the innermost activation; kNone when it is not known.
  uint32_t failing_function() const { return failing_function_; }
  /// No crash: the failure point is where the result leaves the program.
  bool is_silent() const { return silent_; }
  /// The program itself found something wrong and ended.
  bool is_declared() const { return declared_; }

 private:
  struct Candidate {
    report::SourcePlace place;
    std::vector<double> scores;  ///< of its pieces of evidence
    std::string why;             ///< by the strongest of them
  };

  bool is_in_recursion(uint32_t block) const;

  const program::ProgramModel& model_;
  const Evidence& evidence_;
  uint32_t failing_function_ = program::kNone;
  bool silent_ = false;
  bool declared_ = false;
  std::vector<Candidate> candidates_;
  std::unordered_map<std::string, size_t> index_;
};

/// Who adds evidence of some kinds.
class SuspectSource {
 protected:
  explicit SuspectSource(SuspectRanking& ranking)
      : model_(ranking.model()),
        evidence_(ranking.evidence()),
        silent_(ranking.is_silent()),
        declared_(ranking.is_declared()),
        ranking_(ranking) {}

  void add(const report::SourcePlace& place, double score, const std::string& why) { ranking_.add(place, score, why); }
  void add_statement(uint32_t statement, double score, const std::string& why) {
    ranking_.add_statement(statement, score, why);
  }
  double nearness(uint32_t block) const { return ranking_.nearness(block); }
  bool has_no_case(uint32_t block) const { return ranking_.has_no_case(block); }
  uint32_t failing_function() const { return ranking_.failing_function(); }
  bool is_failing_line(const report::SourcePlace& place) const {
    return place.line == evidence_.failure->place.line && place.file == evidence_.failure->place.file;
  }

  const program::ProgramModel& model_;
  const Evidence& evidence_;
  const bool silent_, declared_;

 private:
  SuspectRanking& ranking_;
};

// What counts against what, of all kinds of evidence.
inline constexpr double kTested = 0.6;      // where a value was made that a branch tests counts against the branch
inline constexpr double kOmitted = 0.5;     // what a branch left out counts against the branch
inline constexpr double kNextOfKind = 0.9;  // what each further branch of a kind counts against the one before

}  // namespace culprit
