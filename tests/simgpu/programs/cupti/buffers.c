// 100 kernels into buffers of a size and a number of records (arguments); "decline": the client
// gives none.
#include "client.h"

static void many(void) {
  for (int i = 0; i < 100; ++i) {
    launch(0, 1 + i);
  }
  CHECK(cudaDeviceSynchronize());
  CHECK(cuptiActivityFlushAll(0));
}

static void print_dropped(void) {
  size_t dropped = 0;
  CHECK(cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped));
  printf("{\"dropped\": %zu, \"requested\": %d, \"completed\": %d}\n", dropped, buffers_requested,
         buffers_completed);
}

int main(int count, char** arguments) {
  (void)count;
  buffer_bytes = (size_t)atol(arguments[1]);
  most_records = (size_t)atol(arguments[2]);
  buffers_declined = strcmp(arguments[3], "decline") == 0;
  collect();
  CHECK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
  many();
  print_dropped();
  print_dropped();  // the count begins anew
  buffers_declined = 0;
  many();
  print_dropped();
  return 0;
}
