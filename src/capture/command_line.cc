#include "capture/command_line.h"

#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

namespace culprit {
namespace {

using std::string_view;

constexpr string_view kNoObjectOptions =
    " -E -S -M -MM -fsyntax-only -### -dumpversion -dumpmachine -dumpspecs -cc1 -cc1as -emit-ast -emit-llvm -emit-pch "
    "-module-file-info --precompile --analyze --help -help --help-hidden --version"
    " -verify-pch -rewrite-objc -extract-api --preprocess --assemble --dependencies --user-dependencies"
    " --syntax-only ";

/// Options whose value may be the next word. From clang 19's table of options; Darwin's and cc1's are left out.
constexpr string_view kValueOptions =
    " -A -B -D -F -G -I -L -MF -MJ -MQ -MT -T -U -Tbss -Tdata -Ttext -arch -aux-info -b -e -framework"
    " -gcc-toolchain -idirafter -iframework -imacros -imultilib -include -include-pch -iprefix -iquote"
    " -isysroot -isystem -isystem-after -ivfsoverlay -iwithprefix -iwithprefixbefore -iwithsysroot -l"
    " -mllvm -mthread-model -o -rpath -serialize-diagnostics --serialize-diagnostics -target -u -working-directory -x "
    "-y -z -Xanalyzer -Xassembler -Xclang -Xcuda-fatbinary -Xcuda-ptxas -Xlinker -Xopenmp-target -Xpreprocessor "
    "--assert --config --define-macro --dyld-prefix --for-linker --force-link"
    " --imacros --include --include-directory --include-directory-after --language --library-directory"
    " --output --param --prefix --resource --sysroot --undefine-macro ";

constexpr string_view kLinkerFlags =
    " --coverage -coverage -fprofile-arcs -s -r -t -rdynamic -static -static-pie -shared -pie -no-pie -nopie -nostdlib "
    "-nodefaultlibs"
    " -nostartfiles -nolibc -nostdlib++ -pthread -static-libgcc -static-libstdc++ -shared-libgcc -static-libsan "
    "-fopenmp --static --shared ";

constexpr string_view kLinkerValueOptions = " -B -T -Tbss -Tdata -Ttext -e -u -z -rpath -Xlinker --sysroot ";

constexpr string_view kLinkerPrefixes =
    " -Wl, -B --sysroot= -fprofile-instr-generate -fprofile-generate -fuse-ld= --ld-path= -stdlib= --rtlib= -rtlib= "
    "-unwindlib= --unwindlib= -fsanitize= -fopenmp="
    " -flto --for-linker= ";

/// Whether `word` is one of the words of a list such as " -a -b ".
bool contains(string_view list, string_view word) {
  if (word.empty() || word.find(' ') != string_view::npos) return false;
  for (size_t at = list.find(word); at != string_view::npos; at = list.find(word, at + 1)) {
    if (list[at - 1] == ' ' && list[at + word.size()] == ' ') return true;
  }
  return false;
}

bool has_prefix_in(string_view list, string_view word) {
  for (size_t start = 1; start < list.size();) {
    const size_t end = list.find(' ', start);
    if (word.starts_with(list.substr(start, end - start))) return true;
    start = end + 1;
  }
  return false;
}

/// Splits a response file as GNU tools and clang do: white space separates, quotes group, a backslash takes the next
/// character literally.
std::vector<std::string> split_response(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\\' && quote != '\'' && at + 1 < text.size()) {
      word += text[++at];
      in_word = true;
    } else if (quote) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      in_word = true;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
      if (in_word) words.push_back(std::exchange(word, {}));
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) words.push_back(word);
  return words;
}

constexpr int kDeepestNesting = 16;

void expand_responses(const std::vector<std::string>& words, int depth, std::vector<std::string>& expanded) {
  for (const std::string& word : words) {
    std::ifstream file;
    if (word.size() > 1 && word[0] == '@' && depth < kDeepestNesting) file.open(word.substr(1), std::ios::binary);
    if (!file.is_open()) {
      expanded.push_back(word);
      continue;
    }
    std::ostringstream text;
    text << file.rdbuf();
    expand_responses(split_response(text.str()), depth + 1, expanded);
  }
}

/// The value of an option spelled in one word ("-ofile") or two ("-o file"); nothing when `name` is not that option.
std::optional<std::string> value_of(const Argument& argument, string_view name) {
  const std::string& first = argument.words.front();
  if (first == name && argument.words.size() == 2) return argument.words[1];
  if (name.size() == 2 && first.size() > 2 && first.starts_with(name)) return first.substr(2);
  if (name.starts_with("--") && first.size() > name.size() && first.starts_with(name) && first[name.size()] == '=') {
    return first.substr(name.size() + 1);
  }
  return std::nullopt;
}

std::optional<std::string> value_of_either(const Argument& argument, string_view short_name, string_view long_name) {
  auto value = value_of(argument, short_name);
  return value ? value : value_of(argument, long_name);
}

class Parser {
 public:
  CommandLine parse(const std::vector<std::string>& words) {
    bool only_inputs = false;
    for (size_t at = 0; at < words.size(); ++at) {
      const std::string& word = words[at];
      Argument argument{.kind = ArgumentKind::kOther, .words = {word}, .value = {}, .language = {}};
      if (only_inputs || word.empty() || word[0] != '-' || word == "-") {
        add_input(argument);
      } else if (word == "--") {
        only_inputs = true;
      } else {
        const bool takes_next = contains(kValueOptions, word) || word.starts_with("-Xarch_");
        if (takes_next && at + 1 == words.size()) return {};  // clang will complain; let it see exactly this
        if (takes_next) argument.words.push_back(words[++at]);
        add_option(argument);
      }
      line_.arguments.push_back(std::move(argument));
    }
    line_.action = action();
    return std::move(line_);
  }

 private:
  void add_input(Argument& argument) {
    argument.kind = ArgumentKind::kInput;
    argument.value = argument.words.front();
    argument.language = language_.empty() ? language_of_extension(argument.value) : language_;
    has_input_ = true;
    if (argument.language != "object" && argument.language != "assembler" &&
        argument.language != "assembler-with-cpp") {
      line_.compiles = true;
    }
  }

  void add_option(Argument& argument) {
    const std::string& word = argument.words.front();
    if (contains(kNoObjectOptions, word) || word.starts_with("-print-") || word.starts_with("--print-") ||
        word.starts_with("--autocomplete") || word.starts_with("-dump")) {
      no_object_ = true;
    } else if (word == "-c" || word == "--compile") {
      compile_only_ = true;
    } else if (auto language = value_of_either(argument, "-x", "--language")) {
      language_ = *language == "none" ? "" : *language;
      // Header units and precompiled headers are files for the compiler, not objects.
      if (language_.ends_with("-header")) no_object_ = true;
    } else if (auto output = value_of_either(argument, "-o", "--output")) {
      line_.output = *output;
    } else if (auto library = value_of(argument, "-l")) {
      argument.kind = ArgumentKind::kLibrary;
      argument.value = *library;
      has_input_ = true;
    } else if (auto path = value_of_either(argument, "-L", "--library-directory")) {
      argument.kind = ArgumentKind::kLibraryPath;
      argument.value = *path;
    } else if (word == "-m32" || word == "-mx32" || word == "-m16") {
      line_.other_target = true;
    } else if (word == "-fno-lto") {
      line_.is_lto = false;
    } else if (word == "-m64") {
      line_.other_target = false;
    } else if (auto target = value_of_either(argument, "-target", "--target")) {
      line_.other_target =
          !(target->starts_with("x86_64") && target->find("linux") != std::string::npos) || target->ends_with("x32");
    } else if (word.starts_with("-g") && word != "-gz" && !word.starts_with("-gz=")) {
      read_debug_option(word);
    } else {
      read_linker_option(argument);
    }
  }

  /// The last option that sets a level counts; `-gsplit-dwarf`, `-gdwarf-4` and `-ggdb` also turn full information on.
  void read_debug_option(string_view word) {
    if (word == "-g0" || word == "-g1" || word == "-ggdb0" || word == "-ggdb1" || word == "-gmlt" ||
        word == "-gline-tables-only" || word == "-gline-directives-only") {
      line_.full_debug_info = false;
    } else if (word == "-g" || word == "-g2" || word == "-g3" || word.starts_with("-ggdb") ||
               word.starts_with("-gdwarf") || word == "-gsplit-dwarf" || word.starts_with("-gsplit-dwarf=")) {
      line_.full_debug_info = true;
    }
  }

  void read_linker_option(Argument& argument) {
    const std::string& word = argument.words.front();
    const bool is_linkers = contains(kLinkerFlags, word) || has_prefix_in(kLinkerPrefixes, word) ||
                            (argument.words.size() == 2 && contains(kLinkerValueOptions, word)) ||
                            (word.size() > 2 && word != "-undef" && (word.starts_with("-u") || word.starts_with("-T")));
    if (!is_linkers) return;
    argument.kind = ArgumentKind::kLinkerOption;
    if (word == "-r") relocatable_ = true;
    if (word == "-shared" || word == "--shared") line_.is_shared = true;
    if (word == "-static" || word == "--static" || word == "-static-pie") line_.is_static = true;
    if (word.starts_with("-flto")) line_.is_lto = true;
    if (word == "-Wl,-r" || word == "-Wl,--relocatable" || word == "-Wl,-i") relocatable_ = true;
  }

  Action action() const {
    if (no_object_ || !has_input_) return Action::kNoObject;
    if (compile_only_) return Action::kObjects;
    return relocatable_ ? Action::kRelocatable : Action::kLink;
  }

  CommandLine line_;
  std::string language_;
  bool has_input_ = false;
  bool no_object_ = false;
  bool compile_only_ = false;
  bool relocatable_ = false;
};

/// Languages of the extensions that clang knows.
constexpr std::pair<string_view, string_view> kLanguages[] = {
    {"c", "c"},
    {"i", "cpp-output"},
    {"C", "c++"},
    {"cc", "c++"},
    {"cp", "c++"},
    {"cpp", "c++"},
    {"CPP", "c++"},
    {"cxx", "c++"},
    {"CXX", "c++"},
    {"c++", "c++"},
    {"C++", "c++"},
    {"ii", "c++-cpp-output"},
    {"cppm", "c++-module"},
    {"ccm", "c++-module"},
    {"cxxm", "c++-module"},
    {"m", "objective-c"},
    {"mm", "objective-c++"},
    {"ll", "ir"},
    {"bc", "ir"},
    {"s", "assembler"},
    {"S", "assembler-with-cpp"},
    {"sx", "assembler-with-cpp"},
    {"cl", "cl"},
    {"f", "f95"},
    {"F", "f95"},
    {"f90", "f95"},
    {"F90", "f95"},
    {"h", "c-header"},
    {"hh", "c++-header"},
    {"hpp", "c++-header"},
    {"H", "c++-header"},
    {"hxx", "c++-header"},
};

}  // namespace

std::string language_of_extension(const std::string& path) {
  const size_t dot = path.rfind('.');
  if (dot == std::string::npos || path.find('/', dot) != std::string::npos) return "object";
  const string_view extension = string_view(path).substr(dot + 1);
  for (const auto& [each, language] : kLanguages) {
    if (each == extension) return std::string(language);
  }
  return "object";
}

CommandLine parse_command_line(const std::vector<std::string>& words) {
  std::vector<std::string> expanded;
  expand_responses(words, 0, expanded);
  return Parser().parse(expanded);
}

}  // namespace culprit
