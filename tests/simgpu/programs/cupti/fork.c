// A child after fork() has nothing of its parent's session and leaves it as it is.
#include <sys/wait.h>

#include "client.h"

int main(void) {
  CUpti_SubscriberHandle subscriber;
  collect();
  CHECK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
  CHECK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_RUNTIME));
  launch(0, 10);
  CHECK(cudaDeviceSynchronize());
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    int device = 0;
    const int refused = cudaMalloc((void**)&device, 16);
    const int flushed = cuptiActivityFlushAll(0);  // no client of its own
    const int subscribed = cuptiSubscribe(&subscriber, NULL, NULL);
    printf(
        "{\"child\": true, \"refused\": %d, \"flushed\": %d, \"subscribed\": %d, \"completed\": "
        "%d}\n",
        refused, flushed, subscribed, buffers_completed);
    fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  launch(0, 20);
  CHECK(cudaDeviceSynchronize());
  CHECK(cuptiActivityFlushAll(0));
  printf("{\"child_status\": %d}\n", status);
  return 0;
}
