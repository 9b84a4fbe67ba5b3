#include "program/external/real_calls.h"

#include <clocale>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace culprit::program::external {
namespace {

int compare_ints(const void* a, const void* b) {
  int left = 0;
  int right = 0;
  std::memcpy(&left, a, sizeof(left));
  std::memcpy(&right, b, sizeof(right));
  return left < right ? -1 : left > right;
}

Text fixed(const char* text) {
  return {text, true};
}

/// Numbers as they lie in memory.
template <typename Number>
Bytes numbers(std::initializer_list<Number> values, bool is_fixed = false) {
  std::string bytes;
  for (const Number value : values) bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
  return {bytes, is_fixed};
}

Bytes wide(const wchar_t* text) {
  return {std::string(reinterpret_cast<const char*>(text), (std::wcslen(text) + 1) * sizeof(wchar_t)), false};
}

Bytes broken_down(int year, int month, int day) {
  std::tm time{};
  time.tm_year = year - 1900;
  time.tm_mon = month - 1;
  time.tm_mday = day;
  time.tm_hour = 13;
  time.tm_wday = 3;
  return {std::string(reinterpret_cast<const char*>(&time), sizeof(time)), true};
}

void seed() {
  srand(42);
  srand48(42);
}

std::vector<RealCall> memory_calls() {
  return {
      {"memcpy", {Buffer{16}, Text{"some bytes"}, 7}},
      {"memmove", {Buffer{16}, Text{"some bytes"}, 11}},
      {"mempcpy", {Buffer{16}, Text{"some bytes"}, 7}},
      {"memccpy", {Buffer{16}, Text{"some bytes"}, 'b', 11}},
      {"memccpy", {Buffer{16}, Text{"some bytes"}, 'z', 9}},
      {"bcopy", {Text{"some bytes"}, Buffer{16}, 5}},
      {"memset", {Buffer{16}, 'x', 13}},
      {"explicit_bzero", {Buffer{16}, 13}},
      {"bzero", {Buffer{16}, 13}},
      {"memcmp", {Text{"abcdef"}, Text{"abcxef"}, 6}},
      {"memcmp", {Text{"abcdef"}, Text{"abcdef"}, 6}},
      {"bcmp", {Text{"abcdef"}, Text{"abcdef"}, 4}},
      {"memchr", {Text{"needle in hay"}, ' ', 13}},
      {"memchr", {Text{"needle in hay"}, 'q', 9}},
      {"memrchr", {Text{"needle in hay"}, ' ', 13}},
      {"memrchr", {Text{"needle in hay"}, 'q', 13}},
      {"rawmemchr", {Text{"needle in hay"}, 'h'}},
      {"memmem", {Text{"needle in hay"}, 13, Text{"in"}, 2}},
      {"memmem", {Text{"needle in hay"}, 13, Text{"on"}, 2}},
      {"memfrob", {Text{"secret"}, 6}},
      {"swab", {Text{"badcfe"}, Buffer{8}, 6}},
      {"__memcpy_chk", {Buffer{16}, Text{"some bytes"}, 7, 16}},
      {"__memset_chk", {Buffer{16}, 'x', 13, 16}},
  };
}

std::vector<RealCall> string_calls() {
  return {
      {"strlen", {Text{"length"}}},
      {"strnlen", {Text{"length"}, 4}},
      {"strnlen", {Text{"length"}, 12}},
      {"strcpy", {Buffer{16}, Text{"copied"}}},
      {"stpcpy", {Buffer{16}, Text{"copied"}}},
      {"__strcpy_chk", {Buffer{16}, Text{"copied"}, 16}},
      {"strncpy", {Buffer{16}, Text{"copied"}, 4}},
      {"strncpy", {Buffer{16}, Text{"copied"}, 14}},
      {"stpncpy", {Buffer{16}, Text{"copied"}, 14}},
      {"strcat", {Text{std::string("left\0        ", 12)}, Text{"right"}}},
      {"strncat", {Text{std::string("left\0        ", 12)}, Text{"right"}, 3}},
      {"strncat", {Text{std::string("left\0        ", 12)}, Text{"right"}, 9}},
      {"strcmp", {Text{"alpha"}, Text{"alpine"}}},
      {"strcmp", {Text{"same"}, Text{"same"}}},
      {"strncmp", {Text{"alpha"}, Text{"alpine"}, 3}},
      {"strncmp", {Text{"alpha"}, Text{"alpine"}, 8}},
      {"strcasecmp", {Text{"ALpha"}, Text{"alPine"}}},
      {"strncasecmp", {Text{"ALpha"}, Text{"alPine"}, 3}},
      {"strcoll", {Text{"one"}, Text{"two"}}},
      {"strxfrm", {Buffer{16}, Text{"word"}, 16}},
      {"strverscmp", {Text{"v1.9"}, Text{"v1.10"}}},
      {"strchr", {Text{"find me"}, ' '}},
      {"strchr", {Text{"find me"}, 'z'}},
      {"strchr", {Text{"find me"}, 0}},
      {"strchrnul", {Text{"find me"}, 'z'}},
      {"strrchr", {Text{"find me in"}, ' '}},
      {"strstr", {Text{"needle in hay"}, Text{"in"}}},
      {"strstr", {Text{"needle in hay"}, Text{"on"}}},
      {"strcasestr", {Text{"needle IN hay"}, Text{"in"}}},
      {"strspn", {Text{"aabbc"}, Text{"ab"}}},
      {"strcspn", {Text{"aabbc"}, Text{"xc"}}},
      {"strpbrk", {Text{"aabbc"}, Text{"xc"}}},
      {"strpbrk", {Text{"aabbc"}, Text{"xy"}}},
      {"strtok", {Text{"  one two"}, Text{" "}}},
      {"strtok_r", {Text{"one,two"}, Text{","}, Buffer{8}}},
      {"strdup", {Text{"duplicate"}}},
      {"strndup", {Text{"duplicate"}, 4}},
      {"strndup", {Text{"duplicate"}, 40}},
      {"strerror", {2}},
      {"ffs", {40}},
      {"basename", {Text{"/usr/lib/x"}}},
      {"a64l", {Text{"abc"}}},
  };
}

std::vector<RealCall> character_calls() {
  std::vector<RealCall> calls;
  for (const char* name : {"isalnum",  "isalpha",  "isblank",  "iscntrl",  "isdigit", "isgraph", "islower",  "isprint",
                           "ispunct",  "isspace",  "isupper",  "isxdigit", "tolower", "toupper", "iswalpha", "iswdigit",
                           "iswspace", "towlower", "towupper", "abs",      "labs",    "isascii", "toascii"}) {
    calls.push_back({name, {'A'}});
  }
  return calls;
}

std::vector<RealCall> number_calls() {
  return {
      {"atoi", {Text{" -42xyz"}}},
      {"atol", {Text{"42"}}},
      {"atoll", {Text{"+42 and more"}}},
      {"atof", {Text{"1.5e3 and more"}}},
      {"strtol", {Text{"  0x1fz"}, Buffer{8}, 16}},
      {"strtol", {Text{"nothing"}, Buffer{8}, 10}},
      {"strtoll", {Text{"-99,5"}, Buffer{8}, 10}},
      {"strtoul", {Text{"77 "}, 0, 8}},
      {"strtoull", {Text{"77 "}, Buffer{8}, 0}},
      {"strtoimax", {Text{"77 "}, Buffer{8}, 0}},
      {"strtod", {Text{"3.25e2]"}, Buffer{8}}},
      {"strtof", {Text{"3.25e2]"}, Buffer{8}}},
      {"strtod", {Text{"inf,"}, Buffer{8}}},
      {"gcvt", {1.25, 6, Buffer{16}}},
      {"rand", {}, seed},
      {"random", {}, seed},
      {"lrand48", {}, seed},
      {"drand48", {}, seed},
      {"rand_r", {numbers<unsigned>({77})}},
      {"erand48", {numbers<unsigned short>({1, 2, 3})}},
      {"nrand48", {numbers<unsigned short>({1, 2, 3})}},
      {"div", {17, 5}},
      {"qsort", {numbers<int>({3, 1, 2, 9}), 4, 4, &compare_ints}},
      {"qsort_r", {numbers<int>({3, 1, 2, 9}), 4, 4, &compare_ints, 0}},
      {"bsearch", {numbers<int>({4}), numbers<int>({1, 2, 4, 9}), 4, 4, &compare_ints}},
      {"bsearch", {numbers<int>({5}), numbers<int>({1, 2, 4, 9}), 4, 4, &compare_ints}},
      {"lfind", {numbers<int>({9}), numbers<int>({1, 2, 4, 9}), numbers<size_t>({4}, true), 4, &compare_ints}},
      {"malloc", {100}},
      {"calloc", {10, 10}},
      {"realloc", {0, 50}},
      {"aligned_alloc", {64, 128}},
      {"sin", {1.0}},
      {"cos", {1.0}},
      {"exp", {1.0}},
      {"pow", {2.0, 0.5}},
      {"fmod", {7.0, 2.5}},
      {"floor", {7.5}},
      {"sqrt", {7.5}},
      {"log10", {7.5}},
      {"atan2", {7.5, 2.0}},
      {"frexp", {7.5, Buffer{4}}},
      {"modf", {7.5, Buffer{8}}},
      {"ldexp", {7.5, 3}},
      {"remquo", {7.5, 2.0, Buffer{4}}},
      {"sincos", {7.5, Buffer{8}, Buffer{8}}},
      {"lround", {7.5}},
      {"nan", {Text{"12"}}},
      {"lgamma_r", {7.5, Buffer{4}}},
  };
}

std::vector<RealCall> text_calls() {
  return {
      {"sprintf", {Buffer{64}, fixed("%d/%s|%5.1f|%c"), 42, Text{"text"}, 2.25, 'x'}},
      {"sprintf", {Buffer{64}, fixed("[%-6s|%6s|%.2s]"), Text{"ab"}, Text{"cd"}, Text{"efgh"}}},
      {"sprintf", {Buffer{64}, fixed("%*d %.*s %%"), 6, 7, 2, Text{"efgh"}}},
      {"sprintf", {Buffer{64}, fixed("%08lx %+lld %#o %p"), 255, 9, 8, 0}},
      {"snprintf", {Buffer{64}, 6, fixed("%s and %s"), Text{"one"}, Text{"two"}}},
      {"snprintf", {Buffer{64}, 64, fixed("%s and %n%s"), Text{"one"}, Buffer{4}, Text{"two"}}},
      {"snprintf", {0, 0, fixed("%s and %s"), Text{"one"}, Text{"two"}}},
      {"__sprintf_chk", {Buffer{64}, 1, 64, fixed("%d items"), 12}},
      {"__snprintf_chk", {Buffer{64}, 64, 1, 64, fixed("%e"), 12.5}},
      {"sscanf", {Text{"12 word 3.5"}, fixed("%d %s %lf"), Buffer{4}, Buffer{16}, Buffer{8}}},
      {"sscanf", {Text{"ab12;x"}, fixed("%2[a-z]%hhd%c%n"), Buffer{8}, Buffer{4}, Buffer{2}, Buffer{4}}},
      {"sscanf", {Text{"no number"}, fixed("%d %d"), Buffer{4}, Buffer{4}}},
      {"sscanf", {Text{"7 xyz"}, fixed("%*d %3c"), Buffer{8}}},
      {"fprintf", {Sink{}, fixed("%s=%d;"), Text{"key"}, 5}},
      {"fprintf", {Sink{}, fixed("%-8s|%c%5d"), Text{"key"}, 'c', 5}},
      {"__fprintf_chk", {Sink{}, 1, fixed("%u%%"), 50}},
      {"fputs", {Text{"a line\n"}, Sink{}}},
      {"fputc", {'z', Sink{}}},
      {"putc", {'z', Sink{}}},
      {"putc_unlocked", {'z', Sink{}}},
      {"fwrite", {Text{"eight by"}, 4, 2, Sink{}}},
      {"fread", {Buffer{32}, 4, 5, Input{"fifteen bytes.."}}},
      {"fread", {Buffer{32}, 1, 5, Input{"fifteen bytes.."}}},
      {"fgets", {Buffer{32}, 32, Input{"one\ntwo\n"}}},
      {"fgets", {Buffer{32}, 3, Input{"one\ntwo\n"}}},
      {"fgetc", {Input{"one\ntwo\n"}}},
      {"getc", {Input{"one\ntwo\n"}}},
      {"getc_unlocked", {Input{"one\ntwo\n"}}},
      {"fscanf", {Input{"12 word 3.5"}, fixed("%d %s %lf"), Buffer{4}, Buffer{16}, Buffer{8}}},
      {"getline", {numbers<uint64_t>({0}, true), numbers<uint64_t>({0}, true), Input{"one\ntwo\n"}}},
      {"feof", {Input{"one"}}},
      {"ftell", {Input{"one"}}},
  };
}

std::vector<RealCall> time_calls() {
  return {
      {"gmtime_r", {numbers<time_t>({86400 * 365}), Buffer{sizeof(std::tm)}}},
      {"localtime_r", {numbers<time_t>({86400 * 365}), Buffer{sizeof(std::tm)}}},
      {"gmtime", {numbers<time_t>({86400 * 365})}},
      {"asctime_r", {broken_down(2000, 2, 29), Buffer{26}}},
      {"ctime_r", {numbers<time_t>({86400 * 365}), Buffer{26}}},
      {"timegm", {broken_down(2000, 2, 29)}},
      {"mktime", {broken_down(2000, 2, 29)}},
      {"strftime", {Buffer{32}, 32, fixed("%Y-%m-%d"), broken_down(2000, 2, 29)}},
      {"strptime", {Text{"2000-02-29x"}, fixed("%Y-%m-%d"), Buffer{sizeof(std::tm)}}},
      {"difftime", {100, 50}},
  };
}

std::vector<RealCall> wide_calls() {
  return {
      {"wcslen", {wide(L"wide")}},
      {"wcscpy", {Buffer{32}, wide(L"wide")}},
      {"wcsncpy", {Buffer{32}, wide(L"wide"), 6}},
      {"wcscmp", {wide(L"wide"), wide(L"wine")}},
      {"wcsncmp", {wide(L"wide"), wide(L"wine"), 2}},
      {"wcschr", {wide(L"wide"), L'd'}},
      {"wcsrchr", {wide(L"wide"), L'd'}},
      {"wcsstr", {wide(L"wide"), wide(L"id")}},
      {"wmemcpy", {Buffer{32}, wide(L"wide"), 3}},
      {"wmemset", {Buffer{32}, L'x', 3}},
      {"wmemcmp", {wide(L"wide"), wide(L"wine"), 4}},
      {"wcsdup", {wide(L"wide")}},
      {"mbstowcs", {Buffer{32}, Text{"narrow"}, 8}},
      {"wcstombs", {Buffer{32}, wide(L"wide"), 8}},
      {"mbrtowc", {Buffer{4}, Text{"narrow"}, 6, numbers<uint64_t>({0}, true)}},
      {"wcrtomb", {Buffer{8}, L'x', numbers<uint64_t>({0}, true)}},
      {"wctomb", {Buffer{8}, L'x'}},
      {"btowc", {'x'}},
      {"wcstol", {wide(L"77 x"), Buffer{8}, 10}},
  };
}

std::vector<RealCall> file_calls() {
  const Descriptor file{"contents of a file"};
  return {
      {"read", {file, Buffer{16}, 9}},
      {"read", {file, Buffer{32}, 30}},
      {"read", {-1, Buffer{16}, 9}},
      {"pread", {file, Buffer{16}, 9, 4}},
      {"write", {Descriptor{""}, Text{"written"}, 5}},
      {"pwrite", {Descriptor{""}, Text{"written"}, 5, 0}},
      {"dprintf", {Descriptor{""}, fixed("%d and %s"), 12, Text{"text"}}},
      {"lseek", {file, 3, 1}},
      {"fstat", {-1, Buffer{144}}},
      {"isatty", {file}},
      {"fcntl", {file, 1}},
      {"ftruncate", {file, 3}},
      {"fsync", {file}},
      {"lstat", {fixed("/"), Buffer{144}}},
      {"realpath", {fixed("/usr/../tmp"), Buffer{4096 / 4}}},
      {"pathconf", {fixed("/"), 3}},
      {"getpid", {}},
      {"getuid", {}},
      {"umask", {18}},
      {"nl_langinfo", {14}},
      {"setlocale", {0, fixed("C")}},
      {"localeconv", {}},
      {"sigprocmask", {0, Bytes{std::string(8, '\0')}, Buffer{128}}},
      {"getgroups", {0, Buffer{8}}},
      {"getresuid", {Buffer{4}, Buffer{4}, Buffer{4}}},
      {"sched_getaffinity", {0, 8, Buffer{8}}},
      {"pthread_attr_init", {Buffer{56}}},
      {"pthread_spin_init", {Buffer{4}, 0}},
      {"pthread_barrier_init", {Buffer{32}, 0, 2}},
      {"pthread_condattr_init", {Buffer{4}}},
      {"pthread_rwlockattr_init", {Buffer{8}}},
      {"pthread_mutexattr_settype", {Bytes{std::string(4, '\0')}, 1}},
      {"mtx_init", {Buffer{40}, 0}},
      {"cnd_init", {Buffer{48}}},
      {"cfgetospeed", {Bytes{std::string(60, '\0')}}},
      {"timegm", {broken_down(1999, 12, 31)}},
      {"wcspbrk", {wide(L"wide open"), wide(L" o")}},
      {"wcsspn", {wide(L"aab"), wide(L"a")}},
      {"wcscat", {Bytes{wide(L"ab").bytes + std::string(32, 'x')}, wide(L"cd")}},
      {"wcsncat", {Bytes{wide(L"ab").bytes + std::string(32, 'x')}, wide(L"cdef"), 2}},
      {"wcscasecmp", {wide(L"Wide"), wide(L"wIne")}},
      {"wcsncasecmp", {wide(L"Wide"), wide(L"wIne"), 2}},
      {"wmemchr", {wide(L"wide"), L'd', 4}},
      {"wcsnlen", {wide(L"wide"), 2}},
      {"wcpcpy", {Buffer{32}, wide(L"wide")}},
      {"wmempcpy", {Buffer{32}, wide(L"wide"), 2}},
      {"wcstod", {wide(L"1.5 x"), Buffer{8}}},
      {"wctype", {Text{"alpha"}}},
      {"swprintf", {Buffer{64}, 16, Bytes{wide(L"%d").bytes, true}, 42}},
  };
}

std::vector<RealCall> cxx_string_calls() {
  const std::string string = "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE";
  const std::string constant = "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE";
  const Text more{"more than will fit inside"};
  return {
      {string + "9_M_assignERKS4_", {CxxString{"old"}, CxxString{"new one"}}},
      {string + "6assignEPKc", {CxxString{"old"}, Text{"new one"}}},
      {string + "6assignEPKc", {CxxString{"old"}, more}},
      {string + "9_M_appendEPKcm", {CxxString{"old"}, Text{"new one"}, 5}},
      {string + "9_M_appendEPKcm", {CxxString{"old"}, more, 20}},
      {string + "6appendEPKc", {CxxString{"old"}, Text{" and new"}}},
      {string + "6appendEmc", {CxxString{"old"}, 3, '!'}},
      {string + "9push_backEc", {CxxString{"old"}, '!'}},
      {string + "9push_backEc", {CxxString{"fifteen letters"}, '!'}},
      {string + "8pop_backEv", {CxxString{"old"}}},
      {string + "5clearEv", {CxxString{"old"}}},
      {string + "6resizeEmc", {CxxString{"old"}, 6, '.'}},
      {string + "6resizeEmc", {CxxString{"older"}, 2, '.'}},
      {string + "7reserveEm", {CxxString{"old"}, 60}},
      {string + "10_M_replaceEmmPKcm", {CxxString{"old one"}, 0, 3, Text{"new"}, 3}},
      {string + "8_M_eraseEmm", {CxxString{"old one"}, 1, 2}},
      {string + "5eraseEmm", {CxxString{"old one"}, 1, 200}},
      {string + "C1ERKS4_", {Buffer{32}, CxxString{"source"}}},
      {string + "C1EOS4_", {Buffer{32}, CxxString{"source"}}},
      {string + "C1EPKcRKS3_", {Buffer{32}, Text{"source"}, 0}},
      {string + "C1EPKcRKS3_", {Buffer{32}, more, 0}},
      {string + "C1Ev", {Buffer{32}}},
      {string + "9_M_mutateEmmPKcm", {CxxString{"old one"}, 1, 2, Text{"replacement text"}, 16}},
      {constant + "4findEPKcmm", {CxxString{"old one"}, Text{"one"}, 0, 3}},
      {constant + "4findEcm", {CxxString{"old one"}, ' ', 0}},
      {constant + "5rfindEcm", {CxxString{"old one"}, 'o', -1}},
      {constant + "7compareEPKc", {CxxString{"old one"}, Text{"old two"}}},
      {constant + "7compareERKS4_", {CxxString{"old one"}, CxxString{"old two"}}},
      {constant + "6substrEmm", {Buffer{32}, CxxString{"old one"}, 2, 3}},
      {constant + "4copyEPcmm", {CxxString{"old one"}, Buffer{8}, 3, 1}},
      {constant + "4sizeEv", {CxxString{"old one"}}},
      {"_ZSt11_Hash_bytesPKvmm", {Text{"hashed"}, 6, 1}},
  };
}

std::vector<RealCall> system_calls() {
  return {
      {"getcwd", {Buffer{1024}, 1024}},
      {"stat", {fixed("/"), Buffer{144}}},
      {"access", {fixed("/"), 0}},
      {"readlink", {fixed("/proc/self/exe"), Buffer{512}, 512}},
      {"uname", {Buffer{390}}},
      {"sysconf", {30}},
      {"getrlimit", {7, Buffer{16}}},
      {"sigemptyset", {Buffer{128}}},
      {"sigfillset", {Buffer{128}}},
      {"sigaddset", {Bytes{std::string(128, '\0')}, 5}},
      {"sigismember", {Bytes{std::string(128, '\0')}, 5}},
      {"inet_pton", {2, Text{"10.0.0.1"}, Buffer{4}}},
      {"inet_ntop", {2, Bytes{std::string("\12\0\0\1", 4)}, Buffer{16}, 16}},
      {"inet_addr", {Text{"10.0.0.1"}}},
      {"inet_aton", {Text{"10.0.0.1"}, Buffer{4}}},
      {"htonl", {0x1234}},
      {"fnmatch", {Text{"*.c"}, Text{"main.c"}, 0}},
      {"getenv", {fixed("PATH")}},
      {"pthread_mutex_init", {Buffer{40}, 0}},
      {"pthread_mutexattr_init", {Buffer{4}}},
      {"pthread_cond_init", {Buffer{48}, 0}},
      {"pthread_rwlock_init", {Buffer{56}, 0}},
      {"sem_init", {Buffer{32}, 0, 2}},
      {"sem_getvalue", {Bytes{std::string("\2\0\0\0", 4) + std::string(28, '\0'), true}, Buffer{4}}},
      {"tcgetattr", {-1, Buffer{60}}},
  };
}

}  // namespace

std::vector<RealCall> real_calls() {
  std::vector<RealCall> all;
  for (auto* part : {memory_calls, string_calls, character_calls, number_calls, text_calls, time_calls, wide_calls,
                     file_calls, cxx_string_calls, system_calls}) {
    for (RealCall& call : part()) all.push_back(std::move(call));
  }
  return all;
}

}  // namespace culprit::program::external
