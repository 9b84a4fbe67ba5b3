#include "report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <vector>

namespace culprit::report {
namespace {

constexpr uint32_t kContext = 8;  // lines shown around a marked one
constexpr size_t kLongestLine = 400;

constexpr const char* kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>culprit why</title>
<style>
:root { color-scheme: light dark; --line: #8884; --mark: #ffd54f66; --bad: #e5393566; --dim: #888; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0; display: grid; grid-template-columns: minmax(20rem, 2fr) 3fr; height: 100vh; }
main, aside { overflow: auto; padding: 1rem 1.5rem; }
aside { border-left: 1px solid var(--line); }
h1 { font-size: 1.2rem; margin: 0 0 .5rem; } h2 { font-size: 1rem; margin: 1.4rem 0 .4rem; }
code, pre, td { font-family: ui-monospace, monospace; font-size: 13px; }
ol, ul { padding-left: 1.4rem; } li { margin: .4rem 0; }
a { color: inherit; } .dim { color: var(--dim); }
table.source { border-collapse: collapse; width: 100%; } table.source td { white-space: pre; padding: 0 .5rem; }
table.source td:first-child { color: var(--dim); text-align: right; user-select: none; width: 1%; }
tr.suspect { background: var(--mark); } tr.failure { background: var(--bad); } tr.here td { outline: 2px solid currentColor; }
tr.gap td { color: var(--dim); }
@media (max-width: 60rem) { body { display: block; height: auto; } }
</style></head><body>
)";

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

std::string escaped(const std::string& text) {
  std::string result;
  for (const char each : text) {
    switch (each) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        // Control characters have no place in HTML; what is not UTF-8 the browser shows as such.
        result += static_cast<unsigned char>(each) < ' ' && each != '\t' && each != '\n' ? '?' : each;
    }
  }
  return result;
}

class Page {
 public:
  explicit Page(const Explanation& explanation) : explanation_(explanation) {}

  std::string write() {
    collect_places();
    text_ = kHead;
    text_ += fmt::format("<main><h1>culprit why</h1><p><code>{}</code></p>\n", escaped(explanation_.command));
    if (!explanation_.failure) {
      text_ += fmt::format("<p>It did not fail in {} runs.</p>\n", explanation_.runs);
    } else {
      write_failure();
      write_suspects();
      write_findings();
      write_activations();
    }
    write_rest();
    text_ += "</main>\n<aside>\n";
    for (const auto& [file, lines] : marked_) write_source(file, lines);
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
    if (!explanation_.failure) return;
    for (const Finding& each : explanation_.findings) mark(each.place, Mark::kOther);
    for (const Activation& each : explanation_.activations) mark(each.place, Mark::kOther);
    for (const Suspect& each : explanation_.suspects) mark(each.place, Mark::kSuspect);
    mark(explanation_.failure->place, Mark::kFailure);
    for (const auto& [file, lines] : marked_) numbers_.emplace(file, numbers_.size());
  }

  std::string anchor(const std::string& file, uint32_t line) const {
    return fmt::format("f{}l{}", numbers_.at(file), line);
  }

  std::string link(const SourcePlace& place) const {
    if (place.line == 0 || !numbers_.contains(place.file)) return escaped(place.function);
    const std::string name = std::filesystem::path(place.file).filename();
    const std::string in = place.function.empty() ? "" : fmt::format(" in <code>{}</code>", escaped(place.function));
    return fmt::format("<a href=\"#{}\">{}:{}</a>{}", anchor(place.file, place.line), escaped(name), place.line, in);
  }

  void write_failure() {
    const Failure& failure = *explanation_.failure;
    text_ += fmt::format("<h2>Failure</h2><p>{}<br>{}</p>\n", escaped(failure.message), link(failure.place));
  }

  void write_suspects() {
    if (explanation_.suspects.empty()) return;
    text_ += "<h2>Suspects</h2><ol>\n";
    for (const Suspect& each : explanation_.suspects) {
      text_ += fmt::format("<li>{}<br>{}</li>\n", link(each.place), escaped(each.why));
    }
    text_ += "</ol>\n";
  }

  void write_findings() {
    if (explanation_.findings.empty()) return;
    text_ += "<h2>What was found</h2><ul>\n";
    for (const Finding& each : explanation_.findings) {
      text_ += fmt::format("<li>{} <span class=\"dim\">({})</span><br>{}</li>\n", link(each.place),
                           each.proved ? "proved by a re-run" : "not proved by a re-run", escaped(each.evidence));
    }
    text_ += "</ul>\n";
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
    text_ +=
        fmt::format("<p class=\"dim\">{} experiments in {:.1f} s{}.</p>\n", explanation_.effort.experiments,
                    explanation_.effort.seconds, explanation_.effort.complete ? "" : "; the search did not finish");
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

  void write_source(const std::string& file, const std::map<uint32_t, Mark>& lines) {
    std::ifstream in(file);
    text_ += fmt::format("<h2>{}</h2>\n", escaped(file));
    if (!in) {
      text_ += "<p class=\"dim\">This file cannot be read here.</p>\n";
      return;
    }
    std::set<uint32_t> shown;
    for (const auto& [line, how] : lines) {
      for (uint32_t at = line > kContext ? line - kContext : 1; at <= line + kContext; ++at) shown.insert(at);
    }
    text_ += "<table class=\"source\">\n";
    std::string line;
    uint32_t last = 0;
    for (uint32_t number = 1; std::getline(in, line); ++number) {
      if (!shown.contains(number)) continue;
      if (number != last + 1) text_ += "<tr class=\"gap\"><td></td><td>⋯</td></tr>\n";
      last = number;
      if (line.size() > kLongestLine) line = line.substr(0, kLongestLine) + " …";
      const auto marked = lines.find(number);
      const char* how = marked == lines.end()              ? ""
                        : marked->second == Mark::kFailure ? "failure"
                        : marked->second == Mark::kSuspect ? "suspect"
                                                           : "other";
      text_ += fmt::format("<tr id=\"{}\" class=\"{}\"><td>{}</td><td>{}</td></tr>\n", anchor(file, number), how,
                           number, escaped(line));
    }
    text_ += "</table>\n";
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
