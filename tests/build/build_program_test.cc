// `culprit build` and `culprit run` as a user types them, on small programs whose links do something unusual.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/file.h"

namespace culprit {
namespace {
namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

struct Ran {
  int status;
  std::string output;  ///< standard output and error
};

class BuildProgram : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/buildXXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    fs::create_directory(folder_ / "src");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / "src" / name) << content;
  }

  /// Runs a shell command in the sources' folder, with the tools in PATH and a cache of the test's own.
  Ran sh(const std::string& command) const {
    const std::string whole = "mkdir -p '" + (folder_ / "src").string() + "' && cd '" + (folder_ / "src").string() +
                              "' && export PATH='" CULPRIT_BIN_DIR ":'\"$PATH\" CULPRIT_CACHE='" +
                              (folder_ / "cache").string() + "' && (" + command + ") 2>&1";
    FILE* pipe = ::popen(whole.c_str(), "r");
    EXPECT_NE(pipe, nullptr);
    Ran ran{};
    std::array<char, 4096> buffer{};
    for (size_t got = 0; (got = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
      ran.output.append(buffer.data(), got);
    }
    const int status = ::pclose(pipe);
    ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return ran;
  }

  void must_succeed(const std::string& command) const {
    const Ran ran = sh(command);
    ASSERT_EQ(ran.status, 0) << command << "\n" << ran.output;
  }

  /// The native program and its fast and observed builds print the same; returns the fast build's report.
  nlohmann::json same_everywhere(const std::string& program, const std::string& expected) const {
    const Ran native = sh(program);
    EXPECT_EQ(native.output, expected);
    nlohmann::json fast;
    for (const char* plan : {"fast", "homes"}) {
      const Ran built =
          sh("culprit build " + program + " --json -o built --plan " + plan + " 2> messages || cat messages");
      const auto report = nlohmann::json::parse(built.output, nullptr, /*allow_exceptions=*/false);
      EXPECT_TRUE(report.is_object()) << built.output;
      if (!report.is_object()) return {};
      if (fast.is_null()) fast = report;
      const Ran ran = sh("./built");
      EXPECT_EQ(ran.output, native.output) << plan;
      EXPECT_EQ(ran.status, native.status) << plan;
    }
    return fast;
  }

  fs::path folder_;
};

TEST_F(BuildProgram, WrappedFunction) {
  write("main.c", "#include <stdio.h>\nint g(int);\nint main(void) { printf(\"%d\\n\", g(10)); return 0; }\n");
  write("g.c", "int g(int x) { return x * 2 + 1; }\n");
  write("wrap.c", "int __real_g(int);\nint __wrap_g(int x) { return __real_g(x) + 100; }\n");
  must_succeed("culprit-cc -O2 main.c g.c wrap.c -Wl,--wrap=g -o prog");
  const auto report = same_everywhere("./prog", "121\n");
  EXPECT_EQ(report["native_units"].size(), 0U);
}

TEST_F(BuildProgram, WrappedLibraryFunction) {
  write("main.c",
        "#include <stdio.h>\n#include <stdlib.h>\nint calls;\nvoid* __real_malloc(size_t);\n"
        "void* __wrap_malloc(size_t n) { ++calls; return __real_malloc(n); }\n"
        "int main(void) { char* volatile p = malloc(3); free(p); printf(\"%d\\n\", calls); return 0; }\n");
  must_succeed("culprit-cc -O1 main.c -Wl,--wrap=malloc -o prog");
  same_everywhere("./prog", "1\n");
}

TEST_F(BuildProgram, SymbolDefinedByTheLinker) {
  write("main.c",
        "#include <stdio.h>\nint alias(int);\nint target(int x) { return x + 7; }\n"
        "int main(void) { printf(\"%d\\n\", alias(1)); return 0; }\n");
  must_succeed("culprit-cc -O2 main.c -Wl,--defsym=alias=target -o prog");
  same_everywhere("./prog", "8\n");
}

TEST_F(BuildProgram, MultipleDefinitionsAllowed) {
  write("main.c", "#include <stdio.h>\nint f(void);\nint main(void) { printf(\"%d\\n\", f()); return 0; }\n");
  write("one.c", "int f(void) { return 1; }\n");
  write("two.c", "int f(void) { return 2; }\nint other(void) { return f(); }\n");
  must_succeed("culprit-cc -O2 main.c one.c two.c -Wl,-z,muldefs -o prog");
  same_everywhere("./prog", "1\n");
}

TEST_F(BuildProgram, WideCharactersOfAnotherSizeStayNative) {
  write("main.c",
        "#include <stdio.h>\n#include <wchar.h>\nint narrow(void);\nwchar_t c = L'x';\n"
        "int main(void) { printf(\"%d %d\\n\", narrow(), (int)sizeof c); return 0; }\n");
  write("narrow.c", "int narrow(void) { return (int)sizeof(L'x'); }\n");
  must_succeed(
      "culprit-cc -O2 -c main.c && culprit-cc -O2 -fshort-wchar -c narrow.c && culprit-cc main.o narrow.o -o prog");
  const auto report = same_everywhere("./prog", "2 4\n");
  ASSERT_EQ(report["native_units"].size(), 1U);
  EXPECT_EQ(report["native_units"][0]["name"], "narrow.c");
  EXPECT_THAT(report["native_units"][0]["reason"].get<std::string>(), HasSubstr("wchar_size"));
}

TEST_F(BuildProgram, StaticSymbolsNamedInAssemblyAndEqualLabels) {
  const std::string unit =
      "static int table[2] __attribute__((used)) = {NUMBER, 0};\n"
      "int FUNCTION(void) { int v; __asm__(\"movl table(%%rip), %0\" : \"=r\"(v)); return v; }\n";
  write("a.c", "#define NUMBER 1\n#define FUNCTION one\n" + unit);
  write("b.c", "#define NUMBER 2\n#define FUNCTION two\n" + unit);
  write("main.c",
        "#include <stdio.h>\nint one(void), two(void);\n"
        "int main(void) { printf(\"%d %d\\n\", one(), two()); return 0; }\n");
  must_succeed("culprit-cc -O2 main.c a.c b.c -o prog");
  const auto report = same_everywhere("./prog", "1 2\n");
  EXPECT_GE(report["native_units"].size(), 1U);
}

TEST_F(BuildProgram, WeakCommonAndInlineDefinitions) {
  write("main.c",
        "#include <stdio.h>\nint common;\n__attribute__((weak)) int f(void) { return 1; }\nint g(void);\n"
        "__attribute__((weak)) extern int nowhere(void);\n"
        "int main(void) { printf(\"%d %d %d %d\\n\", f(), g(), common, nowhere != 0); return 0; }\n");
  write("other.c", "int common = 5;\nint f(void) { return 2; }\n__attribute__((weak)) int g(void) { return 3; }\n");
  must_succeed("culprit-cc -O2 -fcommon main.c other.c -o prog");
  const auto report = same_everywhere("./prog", "2 3 5 0\n");
  EXPECT_EQ(report["native_units"].size(), 0U);
}

TEST_F(BuildProgram, ArchiveWithAMemberThatHasNoBitcode) {
  write("main.c",
        "#include <stdio.h>\nint a(void), b(void);\nint main(void) { printf(\"%d\\n\", a() + b()); return 0; }\n");
  write("a.c", "int a(void) { return 1; }\n");
  write("b.c", "int a(void);\nint b(void) { return 41 * a(); }\n");
  must_succeed(
      "culprit-cc -O2 -c main.c a.c && clang-19 -O2 -c b.c && ar rcs libab.a a.o b.o && "
      "culprit-cc main.o -L. -lab -o prog && rm libab.a a.o b.o");
  same_everywhere("./prog", "42\n");
}

TEST_F(BuildProgram, AssemblerObject) {
  write("main.c", "#include <stdio.h>\nint three(int);\nint main(void) { printf(\"%d\\n\", three(14)); return 0; }\n");
  write("three.s", ".globl three\nthree: lea (%rdi,%rdi,2), %eax\nret\n.section .note.GNU-stack,\"\",@progbits\n");
  must_succeed("culprit-cc -O2 main.c three.s -o prog && rm three.s");
  same_everywhere("./prog", "42\n");
}

TEST_F(BuildProgram, SharedLibraryIsAbsorbedWithInterposition) {
  write("lib.c",
        "#include <stdio.h>\nint hook(void);\nint base = 10;\nextern int hidden(void);\n"
        "int library(void) { return hook() + base + hidden(); }\n"
        "__attribute__((constructor)) static void first(void) { puts(\"library\"); }\n");
  // In a unit of its own: clang inlines a unit's own functions, whoever else defines them.
  write("hook.c", "int hook(void) { return 1; }\n");
  write("hidden.c", "__attribute__((visibility(\"hidden\"))) int hidden(void) { return 1000; }\n");
  write("main.c",
        "#include <stdio.h>\nint library(void);\nint hook(void) { return 100; }\nint hidden(void) { return 5; }\n"
        "__attribute__((constructor)) static void second(void) { puts(\"program\"); }\n"
        "int main(void) { printf(\"%d %d\\n\", library(), hidden()); return 0; }\n");
  must_succeed(
      "culprit-cc -O2 -fPIC -shared lib.c hook.c hidden.c -o libone.so && "
      "culprit-cc -O2 main.c ./libone.so -Wl,-rpath,'$ORIGIN' -o prog");
  const auto report = same_everywhere("./prog", "library\nprogram\n1110 5\n");
  EXPECT_EQ(report["units"], 4);
  EXPECT_THAT(sh("readelf -d built").output, Not(HasSubstr("libone.so")));
}

TEST_F(BuildProgram, EveryKindOfLoading) {
  write("main.c",
        "#include <math.h>\n#include <stdio.h>\nint main(int n, char** v) { (void)v; printf(\"%.0f\\n\", sqrt(n * "
        "4.0)); return 0; }\n");
  for (const char* options : {"-static", "-no-pie -fno-pie", "-pie -fPIE", "-static-pie -fPIE"}) {
    must_succeed(std::string("culprit-cc -O2 main.c ") + options + " -lm -o prog");
    same_everywhere("./prog", "2\n");
    EXPECT_EQ(sh("readelf -h prog | grep Type:; readelf -l prog | grep -c INTERP").output,
              sh("readelf -h built | grep Type:; readelf -l built | grep -c INTERP").output)
        << options;
  }
}

TEST_F(BuildProgram, CxxWithExceptionsAndTemplates) {
  write("main.cc",
        "#include <iostream>\n#include <stdexcept>\n#include <vector>\nint count(const std::vector<int>&);\n"
        "int main() { try { std::cout << count({1, 2, 3}) << std::endl; count({}); }\n"
        "catch (const std::exception& e) { std::cout << e.what() << std::endl; return 3; } }\n");
  write("count.cc",
        "#include <stdexcept>\n#include <vector>\nint count(const std::vector<int>& v) {\n"
        "if (v.empty()) throw std::runtime_error(\"empty\");\nreturn static_cast<int>(v.size()); }\n");
  must_succeed("culprit-c++ -O2 main.cc count.cc -o prog");
  const auto report = same_everywhere("./prog", "3\nempty\n");
  EXPECT_EQ(report["native_units"].size(), 0U);
}

TEST_F(BuildProgram, RunPassesArgumentsStatusAndSignals) {
  write("main.c",
        "#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
        "int main(int n, char** v) { printf(\"%s %s\\n\", v[0], n > 1 ? v[1] : \"\"); fflush(stdout);\n"
        "if (n > 2) raise(atoi(v[2])); return n; }\n");
  must_succeed("culprit-cc -O2 main.c -o prog");
  for (const char* observe : {"", "--observe ", "--observe=homes "}) {
    const std::string run = std::string("culprit run ") + observe;
    const Ran plain = sh(run + "./prog -- -x 2>/dev/null");
    EXPECT_EQ(plain.output, "./prog -x\n");
    EXPECT_EQ(plain.status, 2);
    EXPECT_EQ(sh("exec " + run + "./prog -- -x 9 2>/dev/null").status, 128 + 9);
    EXPECT_EQ(sh("PATH=.:$PATH; " + run + "prog 2>/dev/null").output, "prog \n");
  }
  const Ran observed = sh("culprit run --observe --json counts.json ./prog a; cat counts.json");
  EXPECT_THAT(observed.output, HasSubstr("\"blocks\""));
}

TEST_F(BuildProgram, SecondTimeFromTheCacheAndTwoAtOnce) {
  write("main.c", "int main(void) { return 0; }\n");
  must_succeed("culprit-cc -O2 main.c -o prog");
  const Ran both = sh("culprit build ./prog --json > one & culprit build ./prog --json > two; wait; cat one two");
  EXPECT_EQ(both.status, 0) << both.output;
  EXPECT_THAT(both.output, HasSubstr("\"from_cache\": false"));
  EXPECT_THAT(both.output, HasSubstr("\"from_cache\": true"));
  must_succeed("mkdir sub && ln -s prog link && culprit build sub/../prog && culprit build \"$PWD/prog\" && culprit build ./link");
  EXPECT_THAT(sh("culprit cache").output, HasSubstr("1 builds"));
  EXPECT_THAT(sh("culprit cache --clear && culprit cache").output, HasSubstr(": 0 builds"));
}

TEST_F(BuildProgram, ABuildFolderThatIsGoneDoesNotMatter) {
  write("main.c", "#include <stdio.h>\nint three(int);\nint main(void) { printf(\"%d\\n\", three(14)); return 0; }\n");
  write("three.s", ".globl three\nthree: lea (%rdi,%rdi,2), %eax\nret\n.section .note.GNU-stack,\"\",@progbits\n");
  write("map", "{ global: main; local: *; };\n");
  must_succeed(
      "as three.s -o three.o && culprit-cc -O2 main.c three.o -Wl,--version-script=map -o ../prog && rm -r ../src");
  same_everywhere("../prog", "42\n");
}

TEST_F(BuildProgram, WhatIsMissingIsNamedWithARemedy) {
  write("main.c", "int f(void);\nint main(void) { return f(); }\n");
  write("f.c", "int f(void) { return 0; }\n");
  must_succeed(
      "clang-19 -fPIC -shared f.c -o libmissing.so && culprit-cc main.c -L. -lmissing -o prog && rm libmissing.so");
  const Ran ran = sh("culprit build ./prog");
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.output, HasSubstr("libmissing.so"));
  EXPECT_THAT(ran.output, HasSubstr("remedy:"));
}

TEST_F(BuildProgram, BadInputsAreRefused) {
  write("main.c", "int main(void) { return 0; }\n");
  must_succeed("clang-19 main.c -o plain && culprit-cc main.c -o prog && head -c 3000 prog > cut && echo text > text");
  EXPECT_EQ(sh("culprit build ./plain").status, 3);
  EXPECT_THAT(sh("culprit build ./plain").output, HasSubstr("culprit-cc"));
  EXPECT_EQ(sh("culprit build ./cut").status, 2);
  EXPECT_EQ(sh("culprit build ./text").status, 2);
  EXPECT_EQ(sh("culprit build ./absent").status, 2);
  EXPECT_EQ(sh("culprit build .").status, 2);
  EXPECT_EQ(sh("culprit build ./prog --plan nonsense").status, 2);
}

}  // namespace
}  // namespace culprit
