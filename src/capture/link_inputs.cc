#include "capture/link_inputs.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <cstdlib>
#include <optional>
#include <sstream>
#include <string_view>

#include "base/error.h"
#include "capture/archive.h"
#include "capture/assemble.h"
#include "capture/capture.h"
#include "capture/elf.h"

namespace culprit {
namespace {
namespace fs = std::filesystem;

constexpr const char* kSystemLibraryFolders[] = {
    "/usr/local/lib/x86_64-linux-gnu", "/usr/local/lib", "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",       "/lib",           "/usr/lib"};

bool is_file(const fs::path& path) {
  std::error_code missing;
  return fs::is_regular_file(path, missing);
}

std::string absolute(const std::string& path) {
  return fs::absolute(path).lexically_normal();
}

bool starts_with(std::span<const std::byte> bytes, std::string_view magic) {
  return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()).starts_with(magic);
}

class Recorder {
 public:
  Recorder(const CommandLine& line, const std::string& compiler, bool is_cxx) : line_(line) {
    LinkRecord& record = link_.record;
    record.tool_version = CULPRIT_VERSION;
    record.directory = fs::current_path();
    record.compiler = compiler;
    record.is_cxx = is_cxx;
    record.is_shared = line.is_shared;
    record.is_relocatable = line.action == Action::kRelocatable;
    record.is_lto = line.is_lto;
    record.output = absolute(line.output.empty() ? "a.out" : line.output);
    for (const Argument& argument : line.arguments) {
      record.arguments.insert(record.arguments.end(), argument.words.begin(), argument.words.end());
    }
  }

  RecordedLink take() {
    is_static_ = line_.is_static;
    for (const Argument& argument : line_.arguments) {
      if (argument.kind == ArgumentKind::kLibraryPath) library_folders_.push_back(argument.value);
    }
    for (const Argument& argument : line_.arguments) add(argument);
    embed_wanted();
    return std::move(link_);
  }

 private:
  /// A file to embed, and the input that it stands for.
  struct Wanted {
    size_t input;
    std::string path;
    std::span<const std::byte> content;
  };

  void add(const Argument& argument) {
    LinkInput input;
    input.words = argument.words;
    switch (argument.kind) {
      case ArgumentKind::kInput:
        input.path = absolute(argument.value);
        if (argument.language == "object") {
          inspect(input);
        } else {
          input.kind = LinkInputKind::kSource;
          if (argument.language.starts_with("assembler")) assemble(input, argument.language);
        }
        break;
      case ArgumentKind::kLibrary:
        input.kind = LinkInputKind::kLibrary;
        if (const auto path = resolve_library(argument.value)) {
          input.path = absolute(*path);
          inspect(input);
          input.kind = LinkInputKind::kLibrary;
        }
        break;
      case ArgumentKind::kLibraryPath:
        input.kind = LinkInputKind::kLibraryPath;
        input.path = absolute(argument.value);
        break;
      case ArgumentKind::kLinkerOption:
        input.kind = LinkInputKind::kOption;
        add_option(input);
        break;
      case ArgumentKind::kOther:
        return;
    }
    link_.record.inputs.push_back(std::move(input));
  }

  /// Finds out what kind of file an input is and how much of it carries bitcode.
  void inspect(LinkInput& input) {
    input.kind = LinkInputKind::kObject;
    if (!is_file(input.path)) return;
    const MappedFile& file = map(input.path);
    const auto bytes = file.bytes();
    if (is_archive(bytes)) {
      input.kind = LinkInputKind::kArchive;
      for_each_member(input.path, bytes, [&input](const ArchiveMember& member) {
        ++input.parts;
        // Members of -flto are captured when the linker generates their code.
        if (carries_bitcode(member.content) || starts_with(member.content, "BC\xc0\xde")) ++input.captured_parts;
      });
    } else if (starts_with(bytes, "BC\xc0\xde")) {
      input.kind = LinkInputKind::kLtoObject;
      return;
    } else if (!ElfFile::has_magic(bytes)) {
      input.kind = LinkInputKind::kLinkerScript;
      want(input.path, bytes);
      return;
    } else {
      const bool is_object = ElfFile(bytes, input.path).type() == ET_REL;
      input.kind = is_object ? LinkInputKind::kObject : LinkInputKind::kSharedLibrary;
      input.parts = 1;
      input.captured_parts = carries_bitcode(bytes) ? 1 : 0;
    }
    const bool is_linked_in = input.kind != LinkInputKind::kSharedLibrary;
    if (is_linked_in && input.captured_parts < input.parts && !is_systems(input.path)) want(input.path, bytes);
  }

  /// Scripts and lists of symbols that an option names are needed to link again.
  void add_option(LinkInput& input) {
    for (const std::string& word : input.words) {
      std::istringstream pieces(word);
      for (std::string piece; std::getline(pieces, piece, ',');) {
        if (piece == "-Bstatic" || piece == "-dn" || piece == "-non_shared") is_static_ = true;
        if (piece == "-Bdynamic" || piece == "-dy" || piece == "-call_shared") is_static_ = line_.is_static;
        const std::string option = piece.substr(0, piece.find('='));
        // Files that the linker writes.
        if (option == "-Map" || option == "--Map" || option == "--dependency-file" || option == "--out-implib") break;
        const std::string path = piece.substr(option.size() == piece.size() ? 0 : option.size() + 1);
        if (path.empty() || !is_file(path)) continue;
        input.path = absolute(path);
        const MappedFile& file = map(path);
        if (!ElfFile::has_magic(file.bytes())) want(input.path, file.bytes());
      }
    }
  }

  void assemble(LinkInput& input, const std::string& language) {
    input.parts = 1;
    if (auto object = assembled_object(line_, link_.record.compiler, input.path, language)) {
      const std::string& kept = link_.assembled.emplace_back(std::move(*object));
      want(input.path, std::as_bytes(std::span(kept.data(), kept.size())));
    }
  }

  std::optional<std::string> resolve_library(const std::string& name) const {
    std::vector<std::string> folders = library_folders_;
    if (const char* more = std::getenv("LIBRARY_PATH")) {
      std::istringstream paths(more);
      for (std::string folder; std::getline(paths, folder, ':');) folders.push_back(folder);
    }
    folders.insert(folders.end(), std::begin(kSystemLibraryFolders), std::end(kSystemLibraryFolders));
    for (const std::string& folder : folders) {
      std::vector<std::string> names;
      if (name.starts_with(":")) {
        names = {name.substr(1)};
      } else {
        if (!is_static_) names.push_back(fmt::format("lib{}.so", name));
        names.push_back(fmt::format("lib{}.a", name));
      }
      for (const std::string& each : names) {
        const fs::path path = fs::path(folder) / each;
        if (is_file(path)) return path;
      }
    }
    return std::nullopt;
  }

  static bool is_systems(const std::string& path) {
    return path.starts_with("/usr/") || path.starts_with("/lib/") || path.starts_with("/lib64/");
  }

  const MappedFile& map(const std::string& path) { return link_.mapped.emplace_back(fs::path(path)); }

  /// `content` stands for the input that is being added.
  void want(const std::string& path, std::span<const std::byte> content) {
    wanted_.push_back({link_.record.inputs.size(), path, content});
  }

  void embed_wanted() {
    uint64_t total = 0;
    for (const Wanted& each : wanted_) total += each.content.size();
    if (total > kEmbeddedLimit) return;
    for (const Wanted& each : wanted_) {
      const uint64_t hash = XXH3_64bits(each.content.data(), each.content.size());
      link_.record.inputs[each.input].content_hash = hash;
      link_.files.push_back({each.path, hash, each.content});
    }
  }

  const CommandLine& line_;
  RecordedLink link_;
  std::vector<std::string> library_folders_;
  std::vector<Wanted> wanted_;
  bool is_static_ = false;
};

}  // namespace

RecordedLink record_link(const CommandLine& line, const std::string& compiler, bool is_cxx) {
  return Recorder(line, compiler, is_cxx).take();
}

}  // namespace culprit
