#include "report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <span>

#include "report/page.h"

namespace culprit::report {
namespace {

constexpr const char* kStyle = "tr.suspect { background: var(--mark); } tr.failure { background: var(--bad); }\n";

constexpr const char* kScript = R"(<script>
document.addEventListener("click", event => {
  const link = event.target.closest("a[href^='#']");
  if (!link) return;
  document.querySelectorAll("tr.here").forEach(row => row.classList.remove("here"));
  const row = document.getElementById(link.getAttribute("href").slice(1));
  if (row) { row.classList.add("here"); row.scrollIntoView({block: "center"}); event.preventDefault(); }
});
</script></body></html>
)";

class Page {
 public:
  explicit Page(const Explanation& explanation) : explanation_(explanation) {}

  std::string write() {
    collect_places();
    text_ = page_head("culprit why", kStyle);
    text_ += fmt::format("<main><h1>culprit why</h1><p><code>{}</code></p>\n", escaped(explanation_.command));
    if (!explanation_.failure) {
      text_ += fmt::format("<p>It did not fail in {} runs.{}</p>\n", explanation_.runs,
                           explanation_.findings.empty() ? "" : " But it did what no program may do.");
      write_findings();
    } else {
      write_failure();
      write_suspects();
      write_findings();
      write_activations();
    }
    write_rest();
    text_ += "</main>\n<aside>\n";
    for (const auto& [file, lines] : marked_) text_ += source_table(file, numbers_.at(file), classes(lines));
    text_ += "</aside>\n";
    text_ += kScript;
    return std::move(text_);
  }

 private:
  enum class Mark { kOther, kSuspect, kFailure };

  void mark(const SourcePlace& place, Mark how) {
    if (place.line == 0 || place.file.empty()) return;
    Mark& known = marked_[place.file].try_emplace(place.line, how).first->second;
    known = std::max(known, how);
  }

  void collect_places() {
    for (const Finding& each : explanation_.findings) {
      mark(each.place, Mark::kOther);
      if (!each.route) continue;
      for (const RouteStep& step : *each.route) mark(step.place, Mark::kOther);
    }
    for (const Activation& each : explanation_.activations) mark(each.place, Mark::kOther);
    for (const Suspect& each : first_suspects(explanation_)) mark(each.place, Mark::kSuspect);
    if (explanation_.failure) {
      for (const ValueStep& each : explanation_.failure->path) mark(each.place, Mark::kOther);
      if (explanation_.failure->origin) mark(explanation_.failure->origin->place, Mark::kOther);
      mark(explanation_.failure->place, Mark::kFailure);
    }
    for (const auto& [file, lines] : marked_) numbers_.emplace(file, numbers_.size());
  }

  std::string link(const SourcePlace& place) const {
    if (place.line == 0 || !numbers_.contains(place.file)) return escaped(place.function);
    const std::string name = std::filesystem::path(place.file).filename();
    const std::string in = place.function.empty() ? "" : fmt::format(" in <code>{}</code>", escaped(place.function));
    return fmt::format("<a href=\"#{}\">{}:{}</a>{}", line_id(numbers_.at(place.file), place.line), escaped(name),
                       place.line, in);
  }

  void write_failure() {
    const Failure& failure = *explanation_.failure;
    text_ += fmt::format("<h2>Failure</h2><p>{}<br>{}</p>\n", escaped(failure.message), link(failure.place));
    if (!failure.origin || failure.origin->place.line == 0) return;
    text_ += fmt::format("<p>{} was {} at {}</p>\n", value_in_words(failure),
                         escaped(made_in_words(failure.origin->how)), link(failure.origin->place));
    if (failure.path.size() < 3) return;
    text_ += "<p>and came there by way of (backwards)</p><ol>\n";
    for (const ValueStep& step : failure.path) {
      const char* what = step.how == "formatted" ? "here it became text"
                         : step.how == "decided" ? "decided that it was made there"
                         : step.how == "tested"  ? "made what was tested there"
                                                 : "";
      text_ += fmt::format("<li>{}{}</li>\n", link(step.place),
                           *what ? fmt::format(" <span class=\"dim\">({})</span>", what) : "");
    }
    text_ += "</ol>\n";
  }

  void write_suspects() {
    if (explanation_.suspects.empty()) return;
    text_ += "<h2>Suspects</h2><ol>\n";
    for (const Suspect& each : first_suspects(explanation_)) {
      text_ += fmt::format("<li>{}<br>{}</li>\n", link(each.place), escaped(each.why));
    }
    text_ += "</ol>\n";
  }

  void write_findings() {
    if (explanation_.findings.empty()) return;
    text_ += "<h2>What was found</h2><ul>\n";
    for (const Finding& each : explanation_.findings) {
      text_ += fmt::format("<li>{} <span class=\"dim\">({})</span><br>{}", link(each.place),
                           each.proved ? "proved by a re-run" : "not proved by a re-run", escaped(each.evidence));
      write_route(each);
      text_ += "</li>\n";
    }
    text_ += "</ul>\n";
  }

  void write_route(const Finding& finding) {
    if (!finding.route || finding.route->size() == 1) return;
    if (finding.route->empty()) {
      text_ += "<br>No dependence known leads from there to the failure: what was left out may matter.";
      return;
    }
    text_ += "<br>How it went on from there to the failure:<ol>\n";
    for (const RouteStep& step : std::span(*finding.route).subspan(1)) {
      text_ +=
          fmt::format("<li>{} <span class=\"dim\">({})</span></li>\n", link(step.place), escaped(route_text(step)));
    }
    text_ += "</ol>";
  }

  void write_activations() {
    if (explanation_.activations.empty()) return;
    text_ += "<h2>Active calls and variables</h2><ol>\n";
    for (const Activation& each : explanation_.activations) {
      text_ += fmt::format("<li>{}", link(each.place));
      for (const NamedValue& variable : each.variables) {
        text_ += fmt::format("<br><code>{} = {}</code>", escaped(variable.name), escaped(variable.value));
      }
      text_ += "</li>\n";
    }
    text_ += "</ol>\n";
  }

  void write_rest() {
    text_ += fmt::format("<p class=\"dim\">{} experiments in {:.1f} s{}.</p>\n", explanation_.effort.experiments,
                         explanation_.effort.seconds, end_of_search(explanation_.effort));
    for (const std::string& each : explanation_.limits) {
      text_ += fmt::format("<p class=\"dim\">Not done: {}</p>\n", escaped(each));
    }
    if (explanation_.next_steps.empty()) return;
    text_ += "<h2>To go on</h2><ul>\n";
    for (const std::string& each : explanation_.next_steps) {
      text_ += fmt::format("<li><code>{}</code></li>\n", escaped(each));
    }
    text_ += "</ul>\n";
  }

  static std::map<uint32_t, std::string> classes(const std::map<uint32_t, Mark>& lines) {
    std::map<uint32_t, std::string> result;
    for (const auto& [line, mark] : lines) {
      result[line] = mark == Mark::kFailure ? "failure" : mark == Mark::kSuspect ? "suspect" : "other";
    }
    return result;
  }

  const Explanation& explanation_;
  std::map<std::string, std::map<uint32_t, Mark>> marked_;
  std::map<std::string, size_t> numbers_;
  std::string text_;
};

}  // namespace

std::string to_html(const Explanation& explanation) {
  return Page(explanation).write();
}

}  // namespace culprit::report
