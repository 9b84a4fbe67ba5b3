// An explanation as one HTML file that needs nothing else: source panes with the marked lines, what was found beside
// them. It loads nothing from anywhere.
#pragma once

#include <string>

#include "report/explanation.h"

namespace culprit::report {

std::string to_html(const Explanation& explanation);

}  // namespace culprit::report
