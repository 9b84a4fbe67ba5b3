#include "program/external/sizes.h"

#include <dirent.h>
#include <fenv.h>
#include <glob.h>
#include <grp.h>
#include <locale.h>
#include <netdb.h>
#include <obstack.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <sched.h>
#include <search.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/timeb.h>
#include <sys/times.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <termios.h>
#include <time.h>
#include <ucontext.h>
#include <utime.h>
#include <wchar.h>

#include <utility>

namespace culprit::program::external {

std::optional<uint64_t> size_of_structure(std::string_view name) {
  static constexpr std::pair<std::string_view, uint64_t> kSizes[] = {
      {"FILE", sizeof(FILE)},
      {"addrinfo", sizeof(addrinfo)},
      {"cpu_set_t", sizeof(cpu_set_t)},
      {"dirent", sizeof(dirent)},
      {"div_t", sizeof(div_t)},
      {"drand48_data", sizeof(drand48_data)},
      {"epoll_event", sizeof(epoll_event)},
      {"fd_set", sizeof(fd_set)},
      {"fenv_t", sizeof(fenv_t)},
      {"glob_t", sizeof(glob_t)},
      {"group", sizeof(group)},
      {"hostent", sizeof(hostent)},
      {"itimerval", sizeof(itimerval)},
      {"jmp_buf", sizeof(jmp_buf)},
      {"lconv", sizeof(lconv)},
      {"mbstate_t", sizeof(mbstate_t)},
      {"obstack", sizeof(obstack)},
      {"passwd", sizeof(passwd)},
      {"pollfd", sizeof(pollfd)},
      {"protoent", sizeof(protoent)},
      {"pthread_attr_t", sizeof(pthread_attr_t)},
      {"pthread_barrier_t", sizeof(pthread_barrier_t)},
      {"pthread_cond_t", sizeof(pthread_cond_t)},
      {"pthread_mutex_t", sizeof(pthread_mutex_t)},
      {"pthread_rwlock_t", sizeof(pthread_rwlock_t)},
      {"random_data", sizeof(random_data)},
      {"regex_t", sizeof(regex_t)},
      {"regmatch_t", sizeof(regmatch_t)},
      {"rlimit", sizeof(rlimit)},
      {"rusage", sizeof(rusage)},
      {"sched_param", sizeof(sched_param)},
      {"sem_t", sizeof(sem_t)},
      {"servent", sizeof(servent)},
      {"sigaction", sizeof(struct sigaction)},
      {"siginfo_t", sizeof(siginfo_t)},
      {"sigset_t", sizeof(sigset_t)},
      {"stack_t", sizeof(stack_t)},
      {"stat", sizeof(struct stat)},
      {"statfs", sizeof(struct statfs)},
      {"statvfs", sizeof(struct statvfs)},
      {"termios", sizeof(termios)},
      {"timeb", sizeof(timeb)},
      {"timespec", sizeof(timespec)},
      {"timeval", sizeof(timeval)},
      {"timezone", sizeof(struct timezone)},
      {"tm", sizeof(tm)},
      {"tms", sizeof(tms)},
      {"ucontext_t", sizeof(ucontext_t)},
      {"utimbuf", sizeof(utimbuf)},
      {"utsname", sizeof(utsname)},
      {"va_list", 24},    // System V ABI, AMD64: 3.5.7
      {"z_stream", 112},  // zlib.h
  };
  for (const auto& [known, bytes] : kSizes) {
    if (known == name) return bytes;
  }
  return std::nullopt;
}

}  // namespace culprit::program::external
