// Pieces of Culprit's HTML pages: one self-contained file each, which asks the network for nothing, light and dark.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace culprit::report {

/// Text as HTML shows it. Control characters become '?'.
std::string escaped(const std::string& text);

/// A page up to its open body. `style` adds CSS to what all pages have: `main` on the left, `aside` for sources on the
/// right, `.dim`, `.here` for the row that was last gone to.
std::string page_head(const std::string& title, const std::string& style);

/// The id of a source line's row; `file` is the file's number on the page.
std::string line_id(size_t file, uint32_t line);

/// A source file as a table, a row a line. `marks` has the CSS class of each marked line; lines far from all of these
/// are left out. Says so when the file cannot be read.
std::string source_table(const std::string& path, size_t file, const std::map<uint32_t, std::string>& marks);

}  // namespace culprit::report
