#include "report/slice_page.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "report/page.h"

namespace culprit::report {
namespace {

constexpr const char* kStyle = R"(
tr.slice { background: var(--mark); cursor: pointer; } tr.criterion { background: var(--bad); cursor: pointer; }
tr.near td:first-child { color: inherit; font-weight: bold; }
#now code { display: block; white-space: pre-wrap; padding: .3rem 0; }
.edges { list-style: none; padding: 0; } .edges a { text-decoration: none; } .edges a:hover { text-decoration: underline; }
.kind { display: inline-block; min-width: 4.5rem; color: var(--dim); }
button { font: inherit; }
)";

constexpr const char* kBody = R"(<section id="now"></section>
<h2>Depends on</h2><ul class="edges" id="uses"></ul>
<h2>Is used by</h2><ul class="edges" id="users"></ul>
)";

// An instance is chosen by the address's fragment, #i12, so that the browser's own back and forward walk the slice.
constexpr const char* kScript = R"(<script>
const {files, functions, instances, edges, criterion} = JSON.parse(document.getElementById("data").textContent);
const uses = instances.map(() => []), users = instances.map(() => []);
const ofLine = new Map(), ofStatement = new Map();
for (const [from, to, kind] of edges) { uses[from].push([to, kind]); users[to].push([from, kind]); }
const rowId = ([file, line]) => `f${file}l${line}`;
const statementOf = ([file, line, column]) => `${file}:${line}:${column}`;
const add = (map, key, at) => map.has(key) ? map.get(key).push(at) : map.set(key, [at]);
instances.forEach((each, at) => { add(ofLine, rowId(each), at); add(ofStatement, statementOf(each), at); });
const sourceOf = at => document.getElementById(rowId(instances[at]))?.lastChild.textContent.trim() ?? "";
const placeOf = at => {
  const [file, line, , , thread, number] = instances[at];
  return `${files[file].split("/").pop()}:${line}#${number}` + (thread ? `, thread ${thread}` : "");
};
const valueOf = at => instances[at][6];
const element = (tag, text, ...children) => {
  const made = document.createElement(tag);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
};
const linkTo = (at, text) => { const link = element("a", text); link.href = `#i${at}`; return link; };
function list(id, all) {
  const items = all.map(([at, kind]) => {
    const label = element("span", kind);
    label.className = "kind";
    const link = linkTo(at, placeOf(at));
    link.title = [functions[instances[at][3]], valueOf(at)].filter(Boolean).join(": ");
    return element("li", "", label, link, element("span", "  "), element("code", sourceOf(at)));
  });
  document.getElementById(id).replaceChildren(...(items.length ? items : [element("li", "nothing in this slice")]));
}
let current = criterion.at(-1) ?? instances.length - 1;
function show(at) {
  current = at;
  const same = ofStatement.get(statementOf(instances[at])), nth = same.indexOf(at);
  const now = element("div", "", element("strong", placeOf(at)), element("span", ` in ${functions[instances[at][3]]}`),
                      element("code", sourceOf(at)));
  if (valueOf(at)) now.append(Object.assign(element("span", valueOf(at)), {className: "value"}), " ");
  if (nth > 0) now.append(linkTo(same[nth - 1], "← earlier here"), " ");
  if (nth + 1 < same.length) now.append(linkTo(same[nth + 1], "later here →"));
  document.getElementById("now").replaceChildren(now);
  list("uses", uses[at]);
  list("users", users[at]);
  for (const row of document.querySelectorAll("tr.here, tr.near")) row.classList.remove("here", "near");
  for (const [near] of uses[at]) document.getElementById(rowId(instances[near]))?.classList.add("near");
  const row = document.getElementById(rowId(instances[at]));
  row?.classList.add("here");
  row?.scrollIntoView({block: "center"});
}
function follow() {
  const chosen = /^#i(\d+)$/.exec(location.hash);
  if (chosen && +chosen[1] < instances.length) show(+chosen[1]);
  else if (instances.length) show(current);
}
addEventListener("hashchange", follow);
// Over a marked line: what it gave last before the chosen instance, itself included.
document.querySelector("aside").addEventListener("mouseover", event => {
  const row = event.target.closest("tr"), here = ofLine.get(row?.id);
  if (!here) return;
  const before = here.filter(at => at <= current), shown = before.length ? before : here.slice(0, 1);
  row.title = shown.map(valueOf).filter(Boolean).at(-1) ?? "";
});
document.querySelector("aside").addEventListener("click", event => {
  const here = ofLine.get(event.target.closest("tr")?.id);
  if (!here) return;
  location.hash = `#i${here.filter(at => at <= current).pop() ?? here[0]}`;
});
follow();
</script></body></html>
)";

/// The page's data, which the script reads; no text in it can end the element that holds it.
std::string data_of(const SliceView& view) {
  using nlohmann::json;
  json instances = json::array(), edges = json::array();
  for (const SliceView::Instance& each : view.instances) {
    instances.push_back({each.file, each.line, each.column, each.function, each.thread, each.number, each.value});
  }
  for (const SliceView::Edge& each : view.edges) edges.push_back({each.from, each.to, each.kind});
  const json data = {{"files", view.files},
                     {"functions", view.functions},
                     {"instances", std::move(instances)},
                     {"edges", std::move(edges)},
                     {"criterion", view.criterion}};
  std::string text;
  for (const char each : data.dump(-1, ' ', true, json::error_handler_t::replace)) {
    if (each == '<') {
      text += "\\u003c";
    } else {
      text += each;
    }
  }
  return text;
}

std::vector<std::map<uint32_t, std::string>> marks_of(const SliceView& view) {
  std::vector<std::map<uint32_t, std::string>> marks(view.files.size());
  for (const SliceView::Instance& each : view.instances) marks[each.file].try_emplace(each.line, "slice");
  for (const uint32_t each : view.criterion) {
    const SliceView::Instance& instance = view.instances[each];
    marks[instance.file][instance.line] = "criterion";
  }
  return marks;
}

}  // namespace

std::string to_html(const SliceView& view) {
  std::string text = page_head("culprit slice", kStyle);
  text += fmt::format("<main><h1>culprit slice</h1><p><code>{}</code></p>\n<p class=\"dim\">{} statement instances{}.",
                      escaped(view.command), view.instances.size(),
                      view.left_out == 0 ? "" : fmt::format("; {} further away in time are left out", view.left_out));
  text += " Click a marked line, or what it depends on.</p>\n";
  text += kBody;
  text += "</main>\n<aside>\n";
  const auto marks = marks_of(view);
  for (size_t file = 0; file < view.files.size(); ++file) text += source_table(view.files[file], file, marks[file]);
  text += "</aside>\n<script type=\"application/json\" id=\"data\">" + data_of(view) + "</script>\n";
  return text + kScript;
}

}  // namespace culprit::report
