// Which statements of two versions of a program stand at the same place of their sources, told by a diff of the files.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "index/line_diff.h"
#include "program/program_model.h"

namespace culprit {

enum class PlaceMatch : uint8_t {
  kNone,
  kChanged,  ///< of lines that correspond but have another text
  kSame,
  kUnknown,  ///< the texts are not known: by column and names only
};

/// Files correspond that share the longest tail of their paths, at least their names. The texts are read from where the
/// versions were compiled. Where both were compiled from one path, or a text cannot be read, lines are not compared.
class VersionSources {
 public:
  /// Both must outlive this object.
  VersionSources(const program::ProgramModel& left, const program::ProgramModel& right);

  /// Numbers of files in their own model's table; kNone corresponds to kNone.
  bool files_correspond(uint32_t left_file, uint32_t right_file) const;
  /// Statements of functions that correspond.
  PlaceMatch match(uint32_t left_statement, uint32_t right_statement);
  /// Whether the statement's line is, with this text, in its own version only. Nothing when the texts are not known.
  std::optional<bool> line_changed(bool in_left, uint32_t statement);
  /// Of the files that were asked about so far, those whose texts are not known, each with the reason; sorted. Headers
  /// of the system, which both versions were compiled from, are left out.
  std::vector<std::string> unknown_texts() const;

 private:
  /// A path of one version.
  struct File {
    std::string path;
    uint32_t other = format::kNone;  ///< the path of the other version that corresponds, or kNone
  };
  struct Version {
    const program::ProgramModel* model;
    std::vector<File> files;
    std::vector<uint32_t> file_of;  ///< by the model's number of a file
  };

  static Version files_of(const program::ProgramModel& model);
  void pair_files();
  uint32_t file_of_statement(const Version& version, uint32_t statement) const;
  /// Of the left version's path; null when a text is not known.
  const LineDiff* diff_of(uint32_t left_file);

  Version left_, right_;
  std::map<uint32_t, std::unique_ptr<LineDiff>> diffs_;  ///< by the left version's path
  std::vector<std::string> unknown_texts_;
};

/// What a statement calls or writes, by name; empty when that has no name.
std::string_view subject_of(const program::ProgramModel& model, uint32_t statement);

}  // namespace culprit
