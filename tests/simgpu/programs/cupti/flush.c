// Flushes while a kernel still runs, then forced, then at rest.
#include "client.h"

int main(void) {
  collect();
  CHECK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
  CHECK(cuptiActivityFlushAll(0));
  printf("{\"at\": \"nothing done\", \"completed\": %d}\n", buffers_completed);
  launch(0, 1 << 22);  // long
  CHECK(cuptiActivityFlushAll(0));
  printf("{\"at\": \"running\", \"completed\": %d, \"query\": %d}\n", buffers_completed,
         cudaStreamQuery(0));
  CHECK(cudaDeviceSynchronize());
  CHECK(cuptiActivityFlushAll(0));
  printf("{\"at\": \"ended\", \"completed\": %d}\n", buffers_completed);
  launch(0, 1 << 22);
  CHECK(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
  printf("{\"at\": \"forced\", \"completed\": %d, \"query\": %d}\n", buffers_completed,
         cudaStreamQuery(0));
  CHECK(cudaDeviceSynchronize());
  CHECK(cuptiActivityFlushAll(0));
  printf("{\"at\": \"after it\"}\n");
  return 0;
}
