// What a program sees and does under flatout, without any of flatout in it. Each
// mode prints to stdout or ends in a given way. `ready` lines let tests wait for
// a state instead of sleeping.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

// Descriptors that are open, one line each.
void print_fds() {
  for (int fd = 0; fd < 1024; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) std::printf("%d\n", fd);
  }
}

// Mask and ignored signals.
void print_signals() {
  sigset_t mask;
  sigprocmask(SIG_SETMASK, nullptr, &mask);
  for (int signo = 1; signo < NSIG; ++signo) {
    struct sigaction action{};
    if (sigaction(signo, nullptr, &action) != 0) continue;
    if (sigismember(&mask, signo) == 1) std::printf("blocked %d\n", signo);
    if (action.sa_handler == SIG_IGN) std::printf("ignored %d\n", signo);
  }
}

// Counts signals until SIGUSR2 comes, then prints how often each came. They are
// blocked and waited for, so that none is lost in between.
int count_signals() {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  std::printf("ready %d %d\n", ::getpid(), ::getpgrp());
  std::fflush(stdout);
  int counts[NSIG] = {};
  long value = 0;
  for (;;) {
    siginfo_t info{};
    const int signo = sigwaitinfo(&all, &info);
    if (signo < 0) continue;
    if (signo == SIGUSR2) break;
    ++counts[signo];
    if (info.si_code == SI_QUEUE) value = info.si_value.sival_int;
    std::printf("got %d\n", signo);
    std::fflush(stdout);
  }
  for (int signo = 1; signo < NSIG; ++signo) {
    if (counts[signo] != 0) std::printf("count %d %d\n", signo, counts[signo]);
  }
  if (value != 0) std::printf("value %ld\n", value);
  return 0;
}

int copy_through() {
  char buffer[4096];
  for (;;) {
    const ssize_t n = ::read(0, buffer, sizeof buffer);
    if (n <= 0) return n == 0 ? 0 : 1;
    if (::write(1, buffer, static_cast<size_t>(n)) != n) return 1;
  }
}

// Closes its stdout and lives on until its stdin ends.
int close_output() {
  ::close(1);
  char byte = 0;
  while (::read(0, &byte, 1) > 0) {
  }
  return 0;
}

// A daemon in a session of its own, orphaned, that lives until its stdin ends.
int daemonise() {
  const pid_t between = ::fork();
  if (between == 0) {
    ::setsid();
    const pid_t daemon = ::fork();
    if (daemon == 0) {
      ::close(1);
      ::close(2);
      char byte = 0;
      while (::read(0, &byte, 1) > 0) {
      }
      ::_exit(0);
    }
    std::printf("%d\n", daemon);
    std::fflush(stdout);
    ::_exit(0);
  }
  ::waitpid(between, nullptr, 0);
  return 7;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  const int number = argc > 2 ? std::atoi(argv[2]) : 0;
  if (mode == "exit") return number;
  if (mode == "die") {
    const rlimit no_core{.rlim_cur = 0, .rlim_max = 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    ::signal(number, SIG_DFL);
    ::kill(::getpid(), number);
    for (;;) ::pause();
  }
  if (mode == "fds") print_fds();
  if (mode == "signals") print_signals();
  if (mode == "count") return count_signals();
  if (mode == "copy") return copy_through();
  if (mode == "daemon") return daemonise();
  if (mode == "close") return close_output();
  if (mode == "stop") {
    std::printf("%d\n", ::getpid());
    std::fflush(stdout);
    ::raise(SIGSTOP);
  }
  return 0;
}
