// culprit-cc as builds use it: small programs are really compiled, run, and read back.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/file.h"
#include "capture/capture.h"
#include "capture/elf.h"

namespace culprit {
namespace {
namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

struct Ran {
  int status;
  std::string output;  ///< standard output and error
};

class Driver : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("driver " + std::string(test_name()));  // paths with spaces must work
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    write("main.c",
          "#include <stdio.h>\nint three(int);\nint main(void) { printf(\"%d\\n\", three(14)); return 0; }\n");
    write("three.c", "int three(int x) { return x * 3; }\n");
    write("three.s", ".globl three\nthree: lea (%rdi,%rdi,2), %eax\nret\n.section .note.GNU-stack,\"\",@progbits\n");
    write("main.cc",
          "#include <iostream>\n#include <stdexcept>\nint main() { try { throw std::runtime_error(\"42\"); } catch "
          "(const std::exception& e) { std::cout << e.what() << '\\n'; } }\n");
  }
  void TearDown() override { fs::remove_all(folder_); }

  static const char* test_name() { return testing::UnitTest::GetInstance()->current_test_info()->name(); }

  void write(const fs::path& name, const std::string& content) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << content;
  }

  std::string read(const std::string& name) const { return read_file(folder_ / name); }

  /// Runs a shell command in the test's folder, with the tools first in PATH.
  Ran sh(const std::string& command) const {
    const std::string whole =
        "cd '" + folder_.string() + "' && export PATH='" CULPRIT_BIN_DIR ":'\"$PATH\" && (" + command + ") 2>&1";
    FILE* pipe = ::popen(whole.c_str(), "r");
    EXPECT_NE(pipe, nullptr);
    Ran ran{};
    std::array<char, 4096> buffer;
    for (size_t got; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
      ran.output.append(buffer.data(), got);
    }
    const int status = ::pclose(pipe);
    ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return ran;
  }

  /// Runs a command that must succeed without a word.
  void quiet(const std::string& command) const {
    const Ran ran = sh(command);
    EXPECT_EQ(ran.status, 0) << command << "\n" << ran.output;
    EXPECT_EQ(ran.output, "") << command;
  }

  void must_print_42(const std::string& command) const {
    const Ran ran = sh(command);
    EXPECT_EQ(ran.status, 0) << ran.output;
    EXPECT_EQ(ran.output, "42\n");
  }

  Capture capture(const std::string& name) const { return read_capture(folder_ / name); }

  std::vector<std::string> units(const std::string& name) const {
    std::vector<std::string> sources;
    for (const Unit& unit : capture(name).units) sources.push_back(fs::path(unit.source).filename());
    return sources;
  }

  fs::path folder_;
};

const LinkInput* input_of(const Capture& capture, LinkInputKind kind) {
  for (const LinkInput& each : capture.link->inputs) {
    if (each.kind == kind) return &each;
  }
  return nullptr;
}

TEST_F(Driver, ObjectsThenLink) {
  for (const char* level : {"-O0", "-O2"}) {
    quiet(std::string("culprit-cc -c ") + level + " main.c && culprit-cc -c " + level + " three.c -o three.o");
    quiet("culprit-cc main.o three.o -o prog");
    must_print_42("./prog");
    EXPECT_THAT(units("prog"), ElementsAre("main.c", "three.c"));
    EXPECT_THAT(units("three.o"), ElementsAre("three.c"));
  }
  EXPECT_EQ(capture("prog").units[0].directory, folder_);
  EXPECT_EQ(capture("prog").link->directory, folder_);
}

TEST_F(Driver, CompileAndLinkAtOnce) {
  quiet("culprit-cc main.c three.c");
  must_print_42("./a.out");
  EXPECT_THAT(units("a.out"), ElementsAre("main.c", "three.c"));
}

TEST_F(Driver, CaptureIsUnoptimisedWithDeclaredVariables) {
  quiet("culprit-cc -O2 main.c three.c -o prog && culprit dump capture prog --extract units > /dev/null");
  const Ran ran = sh("llvm-dis-19 units/0001-three.c.bc -o -");
  EXPECT_THAT(ran.output, HasSubstr("alloca"));
  EXPECT_THAT(ran.output, HasSubstr("dbg_declare"));
  EXPECT_THAT(ran.output, Not(HasSubstr("culprit")));
}

TEST_F(Driver, InlineAssemblyOfTheProgramIsKept) {
  write("asm.c", "__asm__(\".globl three\\nthree: lea (%rdi,%rdi,2), %eax\\nret\");\n");
  quiet("culprit-cc main.c asm.c -o prog && culprit dump capture prog --extract units > /dev/null");
  must_print_42("./prog");
  EXPECT_THAT(sh("llvm-dis-19 units/0001-asm.c.bc -o -").output, HasSubstr("lea (%rdi,%rdi,2)"));
}

TEST_F(Driver, CaptureIsDeterministic) {
  quiet("culprit-cc -c main.c -o 1.o && culprit-cc -c main.c -o 2.o && cmp 1.o 2.o");
}

TEST_F(Driver, CxxWithExceptions) {
  quiet("culprit-c++ -O1 main.cc -o prog");
  must_print_42("./prog");
  EXPECT_THAT(units("prog"), ElementsAre("main.cc"));
  EXPECT_TRUE(capture("prog").link->is_cxx);
}

TEST_F(Driver, UnusedArchiveMembersStayOut) {
  write("unused.c", "int unused(void) { return 1; }\n");
  quiet("culprit-cc -c three.c unused.c main.c && ar rc libx.a three.o unused.o && culprit-cc main.o -L. -lx -o prog");
  must_print_42("./prog");
  EXPECT_THAT(units("prog"), ElementsAre("main.c", "three.c"));
  const Capture read = capture("prog");
  const LinkInput* library = input_of(read, LinkInputKind::kLibrary);
  ASSERT_NE(library, nullptr);
  EXPECT_EQ(library->parts, 2u);
  EXPECT_EQ(library->captured_parts, 2u);
  EXPECT_THAT(units("libx.a"), ElementsAre("three.c", "unused.c"));
}

TEST_F(Driver, SharedLibraryCarriesItsOwn) {
  quiet("culprit-cc -shared -fPIC three.c -o libthree.so && culprit-cc main.c ./libthree.so -Wl,-rpath,. -o prog");
  quiet("culprit-cc main.c -L. -lthree -Wl,-rpath,. -o byname");
  must_print_42("./prog && ./byname > /dev/null");
  EXPECT_THAT(units("libthree.so"), ElementsAre("three.c"));
  EXPECT_TRUE(capture("libthree.so").link->is_shared);
  const Capture by_path = capture("prog");
  const LinkInput* library = input_of(by_path, LinkInputKind::kSharedLibrary);
  ASSERT_NE(library, nullptr);
  EXPECT_EQ(library->path, folder_ / "libthree.so");
  EXPECT_EQ(library->captured_parts, 1u);
  const Capture by_name = capture("byname");
  library = input_of(by_name, LinkInputKind::kLibrary);
  ASSERT_NE(library, nullptr);
  EXPECT_EQ(library->path, folder_ / "libthree.so");
}

TEST_F(Driver, WhatLacksBitcodeIsNamedAndKept) {
  quiet("culprit-cc -c three.s && culprit-cc main.c three.o -o prog");
  must_print_42("./prog");
  const Capture read = capture("prog");
  const LinkInput* object = input_of(read, LinkInputKind::kObject);
  ASSERT_NE(object, nullptr);
  EXPECT_TRUE(lacks_bitcode(*object));
  ASSERT_EQ(read.embedded_files.size(), 1u);
  EXPECT_EQ(read.embedded_files[0].hash, object->content_hash);
  const std::string original = this->read("three.o");
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(read.embedded_files[0].content.data()),
                        read.embedded_files[0].content.size()),
            original);
  const Ran dump = sh("culprit dump capture prog");
  EXPECT_THAT(dump.output, HasSubstr("1 of 1 without bitcode, content kept"));
}

TEST_F(Driver, AssemblerSourceInALinkIsKeptAsObject) {
  quiet("culprit-cc main.c three.s -o prog");
  must_print_42("./prog");
  const Capture read = capture("prog");
  EXPECT_THAT(units("prog"), ElementsAre("main.c"));
  ASSERT_EQ(read.embedded_files.size(), 1u);
  const ElfFile object(read.embedded_files[0].content, "kept");
  EXPECT_EQ(object.type(), ET_REL);
}

TEST_F(Driver, TooLargeInputsAreNamedOnly) {
  quiet(
      "head -c 9000000 /dev/zero > zeros && printf '.globl three\\nthree: lea (%%rdi,%%rdi,2), %%eax\\nret\\n.data\\n"
      ".incbin \"zeros\"\\n.section .note.GNU-stack,\"\",@progbits\\n' > big.s && culprit-cc -c big.s && "
      "culprit-cc main.c big.o -o prog");
  EXPECT_THAT(capture("prog").embedded_files, IsEmpty());
  EXPECT_THAT(sh("culprit dump capture prog").output, HasSubstr("1 of 1 without bitcode\n"));
}

TEST_F(Driver, OrderOfTheLinkIsKept) {
  quiet("culprit-cc -c three.c && ar rc libx.a three.o");
  quiet("culprit-cc main.c -Wl,--start-group libx.a -lm -Wl,--end-group -Xlinker -z -Xlinker now -pthread -o prog");
  std::vector<std::string> words;
  const Capture read = capture("prog");
  for (const LinkInput& each : read.link->inputs) words.insert(words.end(), each.words.begin(), each.words.end());
  EXPECT_THAT(words, ElementsAre("main.c", "-Wl,--start-group", "libx.a", "-lm", "-Wl,--end-group", "-Xlinker", "-z",
                                 "-Xlinker", "now", "-pthread"));
}

TEST_F(Driver, ScriptsNamedByOptionsAreKept) {
  write("exports.map", "{ global: three; local: *; };\n");
  quiet("culprit-cc -shared -fPIC three.c -Wl,--version-script=exports.map -o libthree.so");
  const Capture read = capture("libthree.so");
  ASSERT_EQ(read.embedded_files.size(), 1u);
  EXPECT_EQ(read.embedded_files[0].path, folder_ / "exports.map");
}

TEST_F(Driver, PartialLinks) {
  quiet("culprit-cc -c three.s && culprit-cc -r main.c three.o -o part.o && culprit-cc part.o -o prog");
  must_print_42("./prog");
  EXPECT_THAT(units("prog"), ElementsAre("main.c"));
  const Capture read = capture("prog");
  ASSERT_EQ(read.partial_links.size(), 1u);
  EXPECT_EQ(read.partial_links[0].output, folder_ / "part.o");
  EXPECT_FALSE(read.link->is_relocatable);
}

TEST_F(Driver, LinkTimeOptimisation) {
  for (const auto& [flags, linker] : {std::pair("-flto", ""), {"-flto=thin", ""}, {"-flto", " -fuse-ld=lld"}}) {
    quiet("culprit-cc -O2 -c main.c three.c " + std::string(flags));
    quiet("culprit-cc -O2 main.o three.o -o prog " + std::string(flags) + linker);
    must_print_42("./prog");
    EXPECT_THAT(units("prog"), UnorderedElementsAre("main.c", "three.c")) << flags;
    EXPECT_THROW(capture("main.o"), UserError);
  }
}

TEST_F(Driver, OtherLinkersAndStrip) {
  for (const char* linker : {"lld", "bfd", "gold"}) {
    quiet("culprit-cc -O2 main.c three.c -Wl,--gc-sections -ffunction-sections -o prog -fuse-ld=" +
          std::string(linker));
    quiet("strip prog");
    must_print_42("./prog");
    EXPECT_THAT(units("prog"), ElementsAre("main.c", "three.c")) << linker;
    EXPECT_TRUE(capture("prog").link.has_value()) << linker;
  }
}

TEST_F(Driver, OtherOutputsAreWhatClangMakes) {
  for (const char* mode : {"-E", "-S -o -", "-MM", "-M", "-fsyntax-only -Wall", "-S -emit-llvm -o -"}) {
    const std::string options = std::string(mode) + " -O1 main.c";
    EXPECT_EQ(sh("culprit-cc " + options).output, sh("clang-19 " + options).output) << mode;
  }
  EXPECT_EQ(sh("culprit-cc --version").output, sh("clang-19 --version").output);
  EXPECT_EQ(sh("culprit-cc -print-search-dirs").output, sh("clang-19 -print-search-dirs").output);
  EXPECT_EQ(sh("culprit-cc -dumpmachine").output, sh("clang-19 -dumpmachine").output);
}

TEST_F(Driver, DependenciesBesideTheObject) {
  quiet("culprit-cc -MD -MP -MF out.d -MT target -c main.c -o main.o");
  EXPECT_THAT(read("out.d"), HasSubstr("target: main.c"));
  EXPECT_THAT(units("main.o"), ElementsAre("main.c"));
}

TEST_F(Driver, StandardInputAndResponseFiles) {
  write("all.rsp", "-O1 'main.c'\n\"three.c\" -o 'the prog'\n");
  quiet("culprit-cc @all.rsp");
  must_print_42("'./the prog'");
  quiet("culprit-cc -O1 -x c -c - -o stdin.o < three.c && culprit-cc main.c stdin.o -o prog");
  must_print_42("./prog");
  EXPECT_THAT(units("prog"), ElementsAre("main.c", "-"));
}

TEST_F(Driver, ConfigureChecksSeeClang) {
  // A warning that is an error in a check must not come from our options, and unused options must stay silent.
  quiet("culprit-cc -Werror -Wall -Wextra -c three.c && culprit-cc -Werror three.o main.c -o prog");
  quiet("printf 'int main(void){return 0;}' > conftest.c && culprit-cc -o /dev/null conftest.c");
  EXPECT_EQ(sh("printf 'int main(void){return nothing;}' > conftest.c && culprit-cc conftest.c").status, 1);
  EXPECT_EQ(sh("culprit-cc -Werror -fno-such-option -c three.c").output,
            sh("clang-19 -Werror -fno-such-option -c three.c").output);
  EXPECT_EQ(sh("culprit-cc main.c -lno_such_library").status, 1);
  EXPECT_EQ(sh("culprit-cc").output, sh("clang-19").output);
}

TEST_F(Driver, OldCIsAcceptedUnlessErrorsAreAskedFor) {
  write("old.c", "f(x) { return undeclared(x); }\n");
  EXPECT_EQ(sh("culprit-cc -c old.c").status, 0);
  EXPECT_EQ(sh("culprit-cc -c old.c -Werror=implicit-function-declaration").status, 1);
}

TEST_F(Driver, OldCxxIsAcceptedUnlessErrorsAreAskedFor) {
  const std::pair<const char*, const char*> old_code[] = {
      {"register", "int f(int x) { register int y = x; return y; }\n"},
      {"c++11-narrowing", "int f(int x) { char y[] = {x}; return y[0]; }\n"},
      {"reserved-user-defined-literal", "#define SECOND \"b\"\nconst char* f() { return \"a\"SECOND; }\n"},
      {"enum-constexpr-conversion", "enum E { kA }; constexpr E kOther = static_cast<E>(7);\n"},
      {"missing-template-arg-list-after-template-kw", "template <class T> void f(T t) { t.template g(1); }\n"},
  };
  for (const auto& [warning, text] : old_code) {
    write("old.cc", text);
    for (const char* compiler : {"culprit-c++", "culprit-cc"}) {
      EXPECT_EQ(sh(std::string(compiler) + " -c old.cc").status, 0) << warning;
      EXPECT_EQ(sh(std::string(compiler) + " -c old.cc -Werror=" + warning).status, 1) << warning;
    }
  }
  write("no_value.cc", "int f() { return; }\n");  // no C++ compiler takes it
  EXPECT_EQ(sh("culprit-c++ -c no_value.cc").status, 1);
}

TEST_F(Driver, CaptureSurvivesTwoStepsThroughIr) {
  quiet("culprit-cc -O1 -save-temps main.c three.c -o prog");
  must_print_42("./prog");
  EXPECT_THAT(units("prog"), UnorderedElementsAre("main.c", "three.c"));
}

TEST_F(Driver, SanitizersAndOldAssemblers) {
  quiet("culprit-cc -fsanitize=address,undefined main.c three.c -o prog");
  must_print_42("./prog");
  quiet("culprit-cc -fno-integrated-as -gsplit-dwarf main.c three.c -o prog");
  must_print_42("./prog");
  EXPECT_THAT(units("prog"), ElementsAre("main.c", "three.c"));
}

TEST_F(Driver, MissingCompilerSaysHowToGetIt) {
  const Ran ran = sh("CULPRIT_CLANG=/nowhere/clang culprit-cc main.c");
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.output, HasSubstr("remedy"));
}

TEST_F(Driver, MakeWithDefaultRulesAndWithNamedCompilers) {
  write("Makefile", "all: prog named\nprog: main.o three.o\n\t$(CC) -o $@ $^\nnamed: main.c three.c\n\tgcc -o $@ $^\n");
  EXPECT_EQ(sh("culprit make --shim -- make").status, 0);
  must_print_42("./prog");
  EXPECT_THAT(units("prog"), ElementsAre("main.c", "three.c"));
  EXPECT_THAT(units("named"), ElementsAre("main.c", "three.c"));
  EXPECT_EQ(sh("culprit make -- sh -c 'exit 7'").status, 7);
  EXPECT_EQ(sh("culprit make -- no-such-command").status, 3);
}

TEST_F(Driver, CMakeProject) {
  write("CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.20)\nproject(p C)\nadd_library(three STATIC three.c)\nadd_executable(prog "
        "main.c)\ntarget_link_libraries(prog three)\n");
  const Ran ran = sh("culprit make -- cmake -G Ninja -B build && cmake --build build");
  EXPECT_EQ(ran.status, 0) << ran.output;
  must_print_42("build/prog");
  EXPECT_THAT(units("build/prog"), ElementsAre("main.c", "three.c"));
}

TEST_F(Driver, MesonProject) {
  if (sh("command -v meson").status != 0) GTEST_SKIP() << "meson is not installed";
  write("meson.build",
        "project('p', 'c')\nexecutable('prog', 'main.c', link_with: shared_library('three', 'three.c'))\n");
  const Ran ran = sh("culprit make -- meson setup build && ninja -C build");
  EXPECT_EQ(ran.status, 0) << ran.output;
  must_print_42("build/prog");
  EXPECT_THAT(units("build/prog"), ElementsAre("main.c"));
  EXPECT_THAT(units("build/libthree.so"), ElementsAre("three.c"));
}

TEST_F(Driver, ALinkWithOpenMpThatFailsTellsOfItsLibrary) {
  const Ran with = sh("culprit-cc -fopenmp main.c");  // nobody defines three
  EXPECT_NE(with.status, 0);
  EXPECT_THAT(with.output, HasSubstr("-fopenmp needs clang's OpenMP library"));
  EXPECT_THAT(sh("culprit-cc main.c").output, Not(HasSubstr("OpenMP")));
}

TEST_F(Driver, DumpSaysWhatIsWrong) {
  EXPECT_EQ(sh("culprit dump capture main.c").status, 2);
  const Ran lacking = sh("clang-19 main.c three.c -o prog && culprit dump capture prog");
  EXPECT_EQ(lacking.status, 3);
  EXPECT_THAT(lacking.output, HasSubstr("culprit-cc"));
}

}  // namespace
}  // namespace culprit
