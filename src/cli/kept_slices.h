// What was asked of `culprit slice` about a recording. Questions get numbers that stay, so that a slice can be asked
// for again, or in another form, by its number.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace culprit::cli {

/// What a slice is of, as the options of `culprit slice` say it.
struct SliceQuestion {
  std::string at;          ///< --at
  std::string variable;    ///< --var
  std::string expression;  ///< --expr
  std::string memory;      ///< --memory
  std::string from;        ///< --from
  std::vector<std::string> prune;
  bool crash = false;
  bool forward = false;
  bool no_control = false;
  bool no_address = false;

  bool operator==(const SliceQuestion&) const = default;
};

/// The options as typed.
std::string text_of(const SliceQuestion& question);

struct KeptSlice {
  uint64_t number;
  SliceQuestion question;
  uint64_t statements, instances;
};

/// Ascending. Throws CorruptData.
std::vector<KeptSlice> kept_slices(const std::filesystem::path& recording);
/// The number of the question, which is a new one the first time. Throws UserError when nothing can be written there.
uint64_t keep_slice(const std::filesystem::path& recording, const SliceQuestion& question, uint64_t statements,
                    uint64_t instances);
/// Throws UserError when there is none of that number.
SliceQuestion question_of(const std::filesystem::path& recording, uint64_t number);
void forget_slice(const std::filesystem::path& recording, uint64_t number);

}  // namespace culprit::cli
