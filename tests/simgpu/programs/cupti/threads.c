// Threads that launch, one that flushes, and CUPTI's own thread, all at once: with callbacks, and
// small buffers.
#include <stdatomic.h>

#include "client.h"

enum { kThreads = 4, kLaunches = 3000 };
static atomic_int entered, left, done;

static void called(void* userdata, CUpti_CallbackDomain domain, CUpti_CallbackId callback,
                   const void* data) {
  (void)userdata, (void)domain, (void)callback;
  atomic_fetch_add(
      ((const CUpti_CallbackData*)data)->callbackSite == CUPTI_API_ENTER ? &entered : &left, 1);
}

static void* launch_many(void* number) {
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (int i = 0; i < kLaunches; ++i) {
    launch(stream, 1 + (unsigned)(size_t)number);
  }
  CHECK(cudaStreamSynchronize(stream));
  return NULL;
}

static void* flush_often(void* unused) {
  while (!atomic_load(&done)) {
    CHECK(cuptiActivityFlushAll(0));
    usleep(500);
  }
  return unused;
}

int main(void) {
  CUpti_SubscriberHandle subscriber;
  pthread_t threads[kThreads], flusher;
  buffer_bytes = 4 << 10;
  collect();
  CHECK(cuptiSubscribe(&subscriber, called, NULL));
  CHECK(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API,
                            CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000));
  CHECK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
  CHECK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_RUNTIME));
  CHECK(cuptiActivityFlushPeriod(1));
  launch(0, 1);
  pthread_create(&flusher, NULL, flush_often, NULL);
  for (size_t i = 0; i < kThreads; ++i) {
    pthread_create(&threads[i], NULL, launch_many, (void*)i);
  }
  for (int i = 0; i < kThreads; ++i) {
    pthread_join(threads[i], NULL);
  }
  CHECK(cudaDeviceSynchronize());
  atomic_store(&done, 1);
  pthread_join(flusher, NULL);
  CHECK(cuptiActivityFlushPeriod(0));
  CHECK(cuptiActivityFlushAll(0));
  size_t dropped = 0;
  CHECK(cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped));
  printf("{\"entered\": %d, \"left\": %d, \"dropped\": %zu, \"launches\": %d, \"same\": %d}\n",
         atomic_load(&entered), atomic_load(&left), dropped, kThreads * kLaunches + 1,
         buffers_requested == buffers_completed);
  return 0;
}
