#include "build/link.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "build/link_layout.h"
#include "capture/elf.h"

namespace culprit {
namespace fs = std::filesystem;

namespace {

constexpr const char* kCompiler = "clang-19";
constexpr const char* kCxxCompiler = "clang++-19";

bool starts_with_any(const std::string& word, std::initializer_list<std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view each) { return word.starts_with(each); });
}

/// Options that decide nothing about what the program does, or that we decide anew.
bool is_dropped_option(const std::string& word) {
  static constexpr std::array<std::string_view, 14> kWhole = {"-pie",  "-no-pie", "-static",    "-static-pie", "-s",
                                                              "-S",    "-shared", "-r",         "-fPIE",       "-fpie",
                                                              "-fPIC", "-fpic",   "--coverage", "-nopie"};
  return std::find(kWhole.begin(), kWhole.end(), word) != kWhole.end() ||
         starts_with_any(word, {"-fuse-ld=", "-flto", "-fno-lto", "-fsanitize", "-fno-sanitize", "-save-temps",
                                "-fprofile", "--ld-path="});
}

/// Parts of `-Wl,a,b` that we leave out: what writes further files, strips, or folds functions together.
bool is_dropped_linker_word(const std::string& word) {
  static constexpr std::array<std::string_view, 8> kWhole = {"-s", "-S",          "--strip-all", "--strip-debug",
                                                             "-M", "--print-map", "--cref",      "--trace"};
  return std::find(kWhole.begin(), kWhole.end(), word) != kWhole.end() ||
         starts_with_any(word, {"-Map=", "--Map=", "--icf", "-icf", "--dependency-file=", "--out-implib",
                                "--time-trace", "-plugin", "--plugin", "--lto", "-soname", "--soname", "-h="});
}

/// Linker words whose value is the next word and is dropped with it.
bool drops_next_linker_word(const std::string& word) {
  return word == "-Map" || word == "--Map" || word == "-soname" || word == "--soname" || word == "-h";
}

/// Linker options that name a file that the link reads.
constexpr std::array<std::string_view, 5> kFileOptions = {"--version-script", "--dynamic-list", "--script", "-T",
                                                          "--symbol-ordering-file"};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

/// Composes the command from the link records of the program and of the absorbed libraries.
class Relink {
 public:
  explicit Relink(const LinkJob& job) : job_(job) {
    for (const Capture* library : job.absorbed) absorbed_.insert(fs::weakly_canonical(library->path));
  }

  std::vector<std::string> command() {
    const bool is_cxx = uses_cxx(*job_.program) || std::any_of(job_.absorbed.begin(), job_.absorbed.end(),
                                                               [](const Capture* each) { return uses_cxx(*each); });
    words_ = {is_cxx ? kCxxCompiler : kCompiler, "-fuse-ld=lld", "-o", job_.output};
    for (const char* word : {"--no-demangle", "--error-limit=0"}) pass_to_linker(word);  // see removed_symbols.h
    switch (loading_of(*job_.program)) {
      case Loading::kDynamic:
        words_.push_back("-no-pie");
        break;
      case Loading::kDynamicPie:
        words_.push_back("-pie");
        break;
      case Loading::kStatic:
        words_.push_back("-static");
        break;
      case Loading::kStaticPie:
        words_.push_back("-static-pie");
        break;
    }
    words_.insert(words_.end(), job_.objects.begin(), job_.objects.end());
    words_.insert(words_.end(), job_.runtime.begin(), job_.runtime.end());
    add_inputs(*job_.program, /*is_program=*/true);
    for (const Capture* library : job_.absorbed) add_inputs(*library, /*is_program=*/false);
    // Last, so that what the other inputs have comes in the same order with and without them.
    words_.insert(words_.end(), job_.observed.begin(), job_.observed.end());
    if (job_.shared_layout && !has_own_script_) add_layout();
    return words_;
  }

  std::set<std::string> native_inputs() {
    only_looking_ = true;
    command();
    return read_;
  }

 private:
  void add_layout() {
    const fs::path script = job_.work / "layout.ld";
    write_file_atomically(script, layout_script(loading_of(*job_.program)));
    for (const std::string& word : layout_options(script)) pass_to_linker(word);
  }

  static bool uses_cxx(const Capture& capture) { return capture.link && capture.link->is_cxx; }

  void add_inputs(const Capture& capture, bool is_program) {
    capture_ = &capture;
    for (const LinkRecord& partial : capture.partial_links) add_objects_of_partial_link(partial);
    if (!capture.link) {
      if (is_program) add_needed_libraries(capture);
      return;
    }
    for (const LinkInput& input : capture.link->inputs) add_input(input, is_program);
  }

  /// A program that culprit-cc compiled but something else linked says only which shared libraries it needs.
  void add_needed_libraries(const Capture& capture) {
    const ElfFile elf(capture.file->bytes(), capture.path);
    for (const std::string& folder : elf.library_search_path()) {
      words_.push_back("-L" + rpath(folder));
      pass_to_linker("-rpath");
      pass_to_linker(rpath(folder));
    }
    for (const std::string& library : elf.needed_libraries()) {
      if (!library.starts_with("libc.so") && !library.starts_with("ld-linux")) words_.push_back("-l:" + library);
    }
  }

  /// Of `ld -r` only what carried no bitcode matters: the rest is in the units.
  void add_objects_of_partial_link(const LinkRecord& partial) {
    for (const LinkInput& input : partial.inputs) {
      if (input.kind != LinkInputKind::kOption && input.kind != LinkInputKind::kLibraryPath) add_input(input, true);
    }
  }

  void add_input(const LinkInput& input, bool is_program) {
    const bool all_captured = input.parts > 0 && input.captured_parts == input.parts;
    switch (input.kind) {
      case LinkInputKind::kLtoObject:
        return;
      case LinkInputKind::kSource:
        if (input.content_hash != 0) add_file(input.path);  // assembler; the file is its object
        return;
      case LinkInputKind::kLinkerScript:
        add_file(input.path);
        return;
      case LinkInputKind::kObject:
      case LinkInputKind::kArchive:
        if (!all_captured) add_file(input.path);
        return;
      case LinkInputKind::kSharedLibrary:
        if (!is_absorbed(input)) add_file(input.path);
        return;
      case LinkInputKind::kLibrary:
        if (is_absorbed(input) || all_captured) return;
        add_library(input);
        return;
      case LinkInputKind::kLibraryPath:
        words_.push_back("-L" + absolute(input.path.empty() ? input.words.back() : input.path));
        return;
      case LinkInputKind::kOption:
        if (is_program) add_option(input);
        return;
    }
  }

  bool is_absorbed(const LinkInput& input) const {
    return !input.path.empty() && absorbed_.contains(fs::weakly_canonical(input.path));
  }

  void add_library(const LinkInput& input) {
    if (!input.path.empty() && !fs::exists(input.path)) {
      add_file(input.path);  // embedded, or an error that says what is gone
      return;
    }
    if (!input.path.empty()) read_.insert(input.path);
    words_.insert(words_.end(), input.words.begin(), input.words.end());
  }

  std::string absolute(const std::string& path) const { return fs::path(capture_->link->directory) / path; }

  /// The file as it was at the time of the link, when it travels in the program; else the one that is there now.
  std::string file_as_linked(const std::string& path) {
    const auto& files = capture_->embedded_files;
    const auto embedded =
        std::find_if(files.begin(), files.end(), [&](const EmbeddedFile& each) { return each.path == path; });
    if (embedded != files.end()) return only_looking_ ? path : written_out(*embedded);
    if (!fs::exists(path)) {
      throw UserError(fmt::format("{} was linked with {}, which is gone", capture_->path.string(), path),
                      "put it back, or build the program again with culprit-cc", ExitCode::kEnvironmentLacks);
    }
    read_.insert(path);
    return path;
  }

  void add_file(const std::string& path) { words_.push_back(file_as_linked(path)); }

  std::string written_out(const EmbeddedFile& file) {
    // The assembler's objects are embedded under their source's name, which would have them assembled.
    const bool is_elf = ElfFile::has_magic(file.content);
    const fs::path copy =
        job_.work / fmt::format("{}-{}{}", written_++, fs::path(file.path).filename().string(), is_elf ? ".o" : "");
    std::ofstream out(copy, std::ios::binary);
    out.write(reinterpret_cast<const char*>(file.content.data()), static_cast<std::streamsize>(file.content.size()));
    out.close();
    if (!out) throw UserError(fmt::format("cannot write {}", copy.string()), "check the free space");
    return copy;
  }

  void add_option(const LinkInput& input) {
    const std::string& first = input.words.front();
    if (is_dropped_option(first)) return;
    if (first.starts_with("-Wl,")) {
      add_linker_words(split(first.substr(4), ','));
    } else if (first == "-Xlinker" && input.words.size() == 2) {
      add_linker_words({input.words[1]});
    } else if (first == "-z" && input.words.size() == 2) {
      add_linker_words({"-z", input.words[1]});
    } else if (first == "-T" && input.words.size() == 2) {
      add_linker_words({"-T", input.words[1]});
    } else {
      words_.insert(words_.end(), input.words.begin(), input.words.end());
    }
  }

  /// Adds words for the linker itself. An option and its value may come in two calls (`-Xlinker -rpath -Xlinker DIR`).
  void add_linker_words(const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      const std::string option = std::exchange(pending_, {});
      if (!option.empty()) {
        if (!drops_next_linker_word(option)) pass_to_linker(option_value(option, word));
      } else if (takes_value(word)) {
        pending_ = word;
        if (!drops_next_linker_word(word)) pass_to_linker(word);
      } else if (!is_dropped_linker_word(word)) {
        pass_to_linker(with_value(word));
      }
    }
  }

  void pass_to_linker(const std::string& word) {
    has_own_script_ = has_own_script_ || word == "-T" || word == "--script" || word.starts_with("--script=");
    words_.push_back("-Xlinker");
    words_.push_back(word);
  }

  static bool takes_value(const std::string& word) {
    return drops_next_linker_word(word) || word == "-rpath" || word == "--rpath" || word == "-R" ||
           std::find(kFileOptions.begin(), kFileOptions.end(), word) != kFileOptions.end();
  }

  std::string option_value(const std::string& option, const std::string& value) {
    if (option == "-rpath" || option == "--rpath" || option == "-R") return rpath(value);
    return file_as_linked(absolute(value));
  }

  /// `--option=value` with the value as it must be now.
  std::string with_value(const std::string& word) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos) return word;
    const std::string option = word.substr(0, equals);
    return takes_value(option) ? option + "=" + option_value(option, word.substr(equals + 1)) : word;
  }

  /// The new program lies in the cache, so that $ORIGIN must keep meaning the original's folder.
  std::string rpath(std::string value) const {
    const std::string origin = origin_of(*capture_);
    for (const std::string_view name : {"${ORIGIN}", "$ORIGIN"}) {
      for (size_t at = 0; (at = value.find(name, at)) != std::string::npos; at += origin.size()) {
        value.replace(at, name.size(), origin);
      }
    }
    return value;
  }

  const LinkJob& job_;
  const Capture* capture_ = nullptr;
  std::set<std::string> absorbed_;
  std::vector<std::string> words_;
  std::set<std::string> read_;
  std::string pending_;  ///< a linker option that waits for its value
  size_t written_ = 0;
  bool only_looking_ = false;
  bool has_own_script_ = false;  ///< the program's own linker script
};

}  // namespace

fs::path origin_of(const Capture& capture) {
  return fs::canonical(capture.path).parent_path();
}

Loading loading_of(const Capture& program) {
  const ElfFile elf(program.file->bytes(), program.path);
  const bool is_dynamic = elf.interpreter().has_value();
  if (elf.type() == ET_DYN) return is_dynamic ? Loading::kDynamicPie : Loading::kStaticPie;
  return is_dynamic ? Loading::kDynamic : Loading::kStatic;
}

std::vector<std::string> link_command(const LinkJob& job) {
  return Relink(job).command();
}

std::set<std::string> native_inputs(const LinkJob& job) {
  return Relink(job).native_inputs();
}

void fail_to_link(const std::string& messages) {
  std::vector<std::string> errors;
  std::string missing;
  for (const std::string& line : split(messages, '\n')) {
    const size_t at = line.find("error: ");
    if (at == std::string::npos) continue;
    errors.push_back(line.substr(at + 7));
    const size_t library = line.find("unable to find library ");
    if (library != std::string::npos && missing.empty()) missing = line.substr(library + 23);
  }
  if (!missing.empty()) {
    throw UserError(fmt::format("the program was linked with {}, which is not on this machine", missing),
                    "install the package that has it (its -dev package), or add its folder to LIBRARY_PATH",
                    ExitCode::kEnvironmentLacks);
  }
  errors.resize(std::min<size_t>(errors.size(), 5));
  throw UserError(fmt::format("the instrumented program does not link:\n{}",
                              errors.empty() ? messages : fmt::format("{}", fmt::join(errors, "\n"))),
                  "if the program's own link needs these, put them back; otherwise please report it (--keep DIR)");
}

}  // namespace culprit
