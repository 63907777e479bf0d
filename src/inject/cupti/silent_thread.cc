#include "inject/cupti/silent_thread.h"

#include <pthread.h>
#include <signal.h>

namespace flatout::inject::cupti {

bool start_silent_thread(void* (*work)(void*)) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0) return false;
  ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread{};
  const int failed = ::pthread_create(&thread, &attributes, work, nullptr);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::pthread_attr_destroy(&attributes);
  return failed == 0;
}

}  // namespace flatout::inject::cupti
