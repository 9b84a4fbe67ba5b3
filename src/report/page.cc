#include "report/page.h"

#include <fmt/format.h>

#include <fstream>
#include <set>

namespace culprit::report {
namespace {

constexpr uint32_t kContext = 8;  // lines shown around a marked one
constexpr size_t kLongestLine = 400;

constexpr const char* kStyle = R"(
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
tr.here td { outline: 2px solid currentColor; }
tr.gap td { color: var(--dim); }
@media (max-width: 60rem) { body { display: block; height: auto; } }
)";

std::set<uint32_t> around(const std::map<uint32_t, std::string>& marks) {
  std::set<uint32_t> shown;
  for (const auto& [line, mark] : marks) {
    for (uint32_t at = line > kContext ? line - kContext : 1; at <= line + kContext; ++at) shown.insert(at);
  }
  return shown;
}

}  // namespace

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

std::string page_head(const std::string& title, const std::string& style) {
  return fmt::format(R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{}</title>
<style>{}{}</style></head><body>
)",
                     escaped(title), kStyle, style);
}

std::string line_id(size_t file, uint32_t line) {
  return fmt::format("f{}l{}", file, line);
}

std::string source_table(const std::string& path, size_t file, const std::map<uint32_t, std::string>& marks) {
  std::ifstream in(path);
  std::string text = fmt::format("<h2>{}</h2>\n", escaped(path));
  if (!in) return text + "<p class=\"dim\">This file cannot be read here.</p>\n";
  const std::set<uint32_t> shown = around(marks);
  text += "<table class=\"source\">\n";
  std::string line;
  uint32_t last = 0;
  for (uint32_t number = 1; std::getline(in, line); ++number) {
    if (!shown.contains(number)) continue;
    if (number != last + 1) text += "<tr class=\"gap\"><td></td><td>⋯</td></tr>\n";
    last = number;
    if (line.size() > kLongestLine) line = line.substr(0, kLongestLine) + " …";
    const auto mark = marks.find(number);
    text += fmt::format("<tr id=\"{}\" class=\"{}\"><td>{}</td><td>{}</td></tr>\n", line_id(file, number),
                        mark == marks.end() ? "" : mark->second, number, escaped(line));
  }
  return text + "</table>\n";
}

}  // namespace culprit::report
