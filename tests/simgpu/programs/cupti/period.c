// With a period, CUPTI's own thread fills buffers while the program makes no call; only full ones
// come back.
#include "client.h"

int main(void) {
  most_records = 3;
  collect();
  CHECK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
  CHECK(cuptiActivityFlushPeriod(1));
  for (unsigned i = 1; i <= 7; ++i) {
    launch(0, i);
  }
  for (int waited = 0; buffers_completed < 2 && waited < 20000; ++waited) {
    usleep(1000);
  }
  printf("{\"completed\": %d}\n", buffers_completed);
  CHECK(cuptiActivityFlushPeriod(0));
  CHECK(cudaDeviceSynchronize());
  CHECK(cuptiActivityFlushAll(0));
  printf("{\"completed\": %d}\n", buffers_completed);
  return 0;
}
