// Two runs side by side, as an HTML page.
#pragma once

#include <string>
#include <vector>

namespace culprit::report {

/// What the runs do between two places where they are together; empty: nothing there.
struct DifferenceRow {
  std::string after;  ///< the last place where they are together
  std::string good;
  std::string bad;
};

struct ValueRow {
  std::string place;
  std::string name;
  std::string good;
  std::string bad;
  std::string how_often;
};

struct DifferenceView {
  std::string good_command;
  std::string bad_command;
  std::string good_end;
  std::string bad_end;
  std::vector<std::string> facts;
  std::vector<DifferenceRow> rows;  ///< in order of execution
  std::vector<ValueRow> values;
};

std::string to_html(const DifferenceView& view);

}  // namespace culprit::report
