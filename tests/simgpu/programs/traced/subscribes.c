// A client of CUPTI that says nothing beforehand, as one in C++ does: subscribes, registers,
// enables kinds, and frees the buffers that come back. What it got is one JSON object.
#include <cupti.h>

#include "work.h"

static int kernels = 0, foreign = 0, lent = 0;
static void* given[256];

static void called(void* user, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  (void)user, (void)domain, (void)id, (void)data;
}

static void requested(uint8_t** buffer, size_t* bytes, size_t* most) {
  *buffer = given[lent++ % 256] = aligned_alloc(8, 1 << 16);
  *bytes = 1 << 16;
  *most = 0;
}

static void completed(CUcontext context, uint32_t stream, uint8_t* buffer, size_t bytes,
                      size_t valid) {
  (void)context, (void)stream, (void)bytes;
  int own = 0;
  for (int i = 0; i < 256; ++i) {
    own |= given[i] == buffer;
  }
  foreign += !own;
  CUpti_Activity* record = NULL;
  while (valid > 0 && cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    kernels += record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  }
  free(buffer);
}

// subscribes: a client as described. subscribes alone: it wants callbacks, and registers no
// buffers.
int main(int count, char** arguments) {
  CUpti_SubscriberHandle subscriber;
  const int alone = count > 2 && !strcmp(arguments[2], "alone");
  register_kernels();
  for (int i = 0; i < 200; ++i) {
    launch(&a_kernel, 0, 8);
  }
  CHECK(cudaDeviceSynchronize());
  sleep_ms(300);
  const int subscribed = cuptiSubscribe(&subscriber, called, NULL);
  if (!alone) {
    CHECK(cuptiActivityRegisterCallbacks(requested, completed));
    CHECK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
  }
  for (int i = 0; i < 3000; ++i) {
    launch(&a_kernel, 0, 8);
    if (i % 2 == 0) {
      sleep_ms(1);
    }
  }
  CHECK(cudaDeviceSynchronize());
  if (!alone) {
    CHECK(cuptiActivityFlushAll(1));
  }
  printf("{\"subscribed\": %d, \"kernels\": %d, \"foreign\": %d}\n", subscribed, kernels, foreign);
  return 0;
}
