#include "report/difference_page.h"

#include <fmt/format.h>

#include "report/page.h"

namespace culprit::report {
namespace {

constexpr const char* kStyle = R"(
body { display: block; height: auto; padding: 1rem 1.5rem; }
table { border-collapse: collapse; width: 100%; margin: .6rem 0 1.6rem; }
th, td { border: 1px solid var(--line); padding: .2rem .5rem; text-align: left; vertical-align: top; }
td.bad { background: var(--bad); }
td.good { background: var(--mark); }
)";

std::string cell(const std::string& text, const char* kind) {
  return text.empty() ? "<td></td>" : fmt::format("<td class=\"{}\">{}</td>", kind, escaped(text));
}

}  // namespace

std::string to_html(const DifferenceView& view) {
  std::string page = page_head("culprit diff", kStyle);
  page += fmt::format(
      "<h1>culprit diff</h1>\n<table><tr><th>good</th><th>bad</th></tr>\n"
      "<tr><td>{}</td><td>{}</td></tr>\n<tr><td>{}</td><td>{}</td></tr></table>\n<ul>\n",
      escaped(view.good_command), escaped(view.bad_command), escaped(view.good_end), escaped(view.bad_end));
  for (const std::string& fact : view.facts) page += fmt::format("<li>{}</li>\n", escaped(fact));
  page += "</ul>\n<h2>Only in one run</h2>\n<table><tr><th>after</th><th>good</th><th>bad</th></tr>\n";
  for (const DifferenceRow& row : view.rows) {
    page += fmt::format("<tr><td>{}</td>{}{}</tr>\n", escaped(row.after), cell(row.good, "good"), cell(row.bad, "bad"));
  }
  page += "</table>\n<h2>Other values at corresponding points</h2>\n";
  page += "<table><tr><th>place</th><th>what</th><th>good</th><th>bad</th><th>times</th></tr>\n";
  for (const ValueRow& row : view.values) {
    page += fmt::format("<tr><td>{}</td><td>{}</td>{}{}<td>{}</td></tr>\n", escaped(row.place), escaped(row.name),
                        cell(row.good, "good"), cell(row.bad, "bad"), escaped(row.how_often));
  }
  return page + "</table>\n</body></html>\n";
}

}  // namespace culprit::report
