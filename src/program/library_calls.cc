// One line a function: its name, then its effects. rN, wN: reads, writes the memory at argument N; cN<M: copies from M
// to N; A: allocates its result; =N: returns argument N; fN: argument N is a printf format. After a colon the extent: a
// number of bytes, aN, aN*aM, v (the result), v*aN, s (a string).
#include "program/library_calls.h"

#include <charconv>
#include <string>
#include <unordered_map>

#include "base/error.h"

namespace culprit::program {
namespace {

constexpr const char* kCalls = R"(
memcpy c0<1:a2 =0
memmove c0<1:a2 =0
mempcpy c0<1:a2
memset w0:a2 =0
bzero w0:a1
bcopy c1<0:a2
memcmp r0:a2 r1:a2
bcmp r0:a2 r1:a2
memchr r0:a2
memrchr r0:a2
memmem r0:a1 r2:a3
__memcpy_chk c0<1:a2 =0
__memmove_chk c0<1:a2 =0
__memset_chk w0:a2 =0
strlen r0:s
strnlen r0:v
strcpy c0<1:s =0
stpcpy c0<1:s
strncpy c0<1:s =0
strcat c0<1:s =0
strncat c0<1:s =0
__strcpy_chk c0<1:s =0
__strcat_chk c0<1:s =0
strcmp r0:s r1:s
strncmp r0:s r1:s
strcasecmp r0:s r1:s
strncasecmp r0:s r1:s
strcoll r0:s r1:s
strchr r0:s
strchrnul r0:s
strrchr r0:s
strstr r0:s r1:s
strcasestr r0:s r1:s
strspn r0:s r1:s
strcspn r0:s r1:s
strpbrk r0:s r1:s
strtok r1:s
strdup r0:s
__strdup r0:s
strndup
atoi r0:s
atol r0:s
atoll r0:s
atof r0:s
strtol r0:s w1:8
strtoll r0:s w1:8
strtoul r0:s w1:8
strtoull r0:s w1:8
strtod r0:s w1:8
strtof r0:s w1:8
strtold r0:s w1:8
__isoc23_strtol r0:s w1:8
getenv r0:s
setenv r0:s r1:s
malloc A:a0
calloc A:a0*a1
realloc A:a1
reallocarray A:a1*a2
aligned_alloc A:a1
free
cfree
_Znwm A:a0
_Znam A:a0
_ZdlPv
_ZdlPvm
_ZdaPv
_ZdaPvm
puts r0:s
fputs r0:s
fputs_unlocked r0:s
putchar
putc
fputc
fputc_unlocked
putc_unlocked
putchar_unlocked
_IO_putc
getc
fgetc
getc_unlocked
getchar
_IO_getc
ungetc
feof
ferror
fflush
fclose
fopen r0:s r1:s
fdopen r1:s
freopen r0:s r1:s
fseek
ftell
rewind
fileno
printf r0:s f0
fprintf r1:s f1
dprintf r1:s f1
sprintf w0:s r1:s f1
snprintf w0:s r2:s f2
__printf_chk r1:s f1
__fprintf_chk r2:s f2
__sprintf_chk w0:s r3:s f3
__snprintf_chk w0:s r4:s f4
vprintf r0:s
vfprintf r1:s
vsprintf w0:s r1:s
vsnprintf w0:s r2:s
sscanf r0:s r1:s
fgets w0:s =0
fgets_unlocked w0:s =0
gets w0:s =0
fread w0:v*a1
fread_unlocked w0:v*a1
fwrite r0:a1*a2
fwrite_unlocked r0:a1*a2
read w1:v
write r1:a2
pread w1:v
pwrite r1:a2
recv w1:v
send r1:a2
getline w0:8 w1:8
getdelim w0:8 w1:8
open r0:s
open64 r0:s
openat r1:s
close
lseek
access r0:s
unlink r0:s
rename r0:s r1:s
remove r0:s
stat r0:s w1:144
lstat r0:s w1:144
fstat w1:144
isatty
exit
_exit
abort
atexit
setlocale r1:s
bindtextdomain r0:s r1:s
textdomain r0:s
gettext r0:s
toupper
tolower
isalpha
isdigit
isspace
isalnum
isupper
islower
isprint
ispunct
isxdigit
iscntrl
isgraph
__ctype_b_loc
__ctype_toupper_loc
__ctype_tolower_loc
__ctype_get_mb_cur_max
__errno_location
time w0:8
clock
gettimeofday w0:16
clock_gettime w1:16
rand
srand
random
srandom
abs
labs
signal
sigaction r1:152 w2:152
setjmp
_setjmp
sigsetjmp
__sigsetjmp
longjmp
siglongjmp
_longjmp
qsort w0:a1*a2
bsearch r0:8
pthread_create w0:8
pthread_join w1:8
pthread_self
pthread_mutex_init
pthread_mutex_lock
pthread_mutex_unlock
pthread_mutex_trylock
pthread_mutex_destroy
pthread_cond_init
pthread_cond_wait
pthread_cond_signal
pthread_cond_broadcast
pthread_exit
usleep
sleep
nanosleep r0:16
sched_yield
floor
ceil
sqrt
pow
fmod
exp
log
log10
log2
sin
cos
tan
atan
atan2
fabs
ldexp
frexp w1:4
modf w1:8
round
trunc
lround
__cxa_allocate_exception A:a0
__cxa_throw
__cxa_rethrow
__cxa_begin_catch =0
__cxa_end_catch
__cxa_free_exception
__cxa_atexit
__cxa_guard_acquire
__cxa_guard_release
__assert_fail r0:s
)";

Extent extent_of(std::string_view text) {
  Extent extent;
  const auto number = [](std::string_view digits) {
    uint32_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
  };
  const size_t star = text.find('*');
  if (text == "s") {
    extent.kind = ExtentKind::kString;
  } else if (text == "v") {
    extent.kind = ExtentKind::kResult;
  } else if (text.starts_with("v*")) {
    extent = {ExtentKind::kResultOf, number(text.substr(3)), 0};
  } else if (star != std::string_view::npos) {
    extent = {ExtentKind::kProduct, number(text.substr(1, star - 1)), number(text.substr(star + 2))};
  } else if (text.starts_with("a")) {
    extent = {ExtentKind::kArgument, number(text.substr(1)), 0};
  } else {
    extent = {ExtentKind::kBytes, number(text), 0};
  }
  return extent;
}

uint8_t digit(char character) {
  CULPRIT_ASSERT(character >= '0' && character <= '9', std::string(1, character));
  return static_cast<uint8_t>(character - '0');
}

void add_effect(LibraryCall& call, std::string_view word) {
  if (word[0] == 'f') {
    call.format = digit(word[1]);
    return;
  }
  const size_t colon = word.find(':');
  const Extent extent = colon == std::string_view::npos ? Extent{} : extent_of(word.substr(colon + 1));
  switch (word[0]) {
    case 'r':
      call.effects.push_back({EffectKind::kReads, digit(word[1]), 0, extent});
      break;
    case 'w':
      call.effects.push_back({EffectKind::kWrites, digit(word[1]), 0, extent});
      break;
    case 'c':
      call.effects.push_back({EffectKind::kCopies, digit(word[1]), digit(word[3]), extent});
      break;
    case 'A':
      call.effects.push_back({EffectKind::kAllocates, 0, 0, extent});
      break;
    case '=':
      call.effects.push_back({EffectKind::kReturns, digit(word[1]), 0, extent});
      break;
    default:
      CULPRIT_ASSERT(false, std::string(word));
  }
}

std::unordered_map<std::string_view, LibraryCall> parse() {
  std::unordered_map<std::string_view, LibraryCall> calls;
  std::string_view rest = kCalls;
  while (!rest.empty()) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    LibraryCall call;
    while (!line.empty()) {
      const std::string_view word = line.substr(0, line.find(' '));
      line.remove_prefix(std::min(word.size() + 1, line.size()));
      if (call.name.empty()) {
        call.name = word;
      } else if (!word.empty()) {
        add_effect(call, word);
      }
    }
    if (!call.name.empty()) calls.emplace(call.name, call);
  }
  return calls;
}

}  // namespace

const LibraryCall* find_library_call(std::string_view name) {
  static const std::unordered_map<std::string_view, LibraryCall> calls = parse();
  const auto at = calls.find(name);
  return at == calls.end() ? nullptr : &at->second;
}

uint8_t string_arguments(const LibraryCall& call) {
  unsigned mask = 0;
  for (const CallEffect& effect : call.effects) {
    if (effect.extent.kind != ExtentKind::kString) continue;
    mask |= 1u << (effect.kind == EffectKind::kCopies ? effect.source : effect.argument);
  }
  return static_cast<uint8_t>(mask & 0x3f);
}

}  // namespace culprit::program
