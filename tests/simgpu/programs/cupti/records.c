// One of each activity, then a flush; the kinds to enable are arguments.
#include "client.h"

static uint64_t monotonic(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int main(int count, char** kinds) {
  char* device = NULL;
  char* pinned = NULL;
  char* pageable = malloc(1 << 20);
  cudaStream_t side;
  cudaEvent_t event;
  CHECK(cudaMalloc((void**)&device, 2 << 20));
  CHECK(cudaHostAlloc((void**)&pinned, 1 << 20, 0));
  CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&event));
  launch(side, 4096);  // before anything is enabled
  if (getenv("LATENCY") != NULL) {
    CHECK(cuptiActivityEnableLatencyTimestamps(1));
  }
  CHECK(cuptiActivityEnableCudaEventDeviceTimestamps(1));
  CHECK(cuptiActivityRegisterTimestampCallback(monotonic));
  collect();
  for (int i = 1; i < count; ++i) {
    CHECK(cuptiActivityEnable((CUpti_ActivityKind)atoi(kinds[i])));
  }
  CHECK(cudaMemcpyAsync(device, pageable, 1 << 20, cudaMemcpyHostToDevice, side));
  CHECK(cudaMemcpyAsync(device, pinned, 1 << 20, cudaMemcpyHostToDevice, side));
  CHECK(cudaMemcpy(pinned, device, 1 << 19, cudaMemcpyDeviceToHost));
  CHECK(cudaMemcpyAsync(device, device + (1 << 20), 1 << 18, cudaMemcpyDeviceToDevice, side));
  CHECK(cudaMemsetAsync(device, 7, 4096, side));
  launch(side, 1000);
  CHECK(cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 41));
  CHECK(cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 42));
  CHECK(cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1, 43));
  launch(0, 2000);
  uint64_t last = 0;
  CHECK(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last));
  printf("{\"popped\": %lu}\n", last);
  CHECK(cudaEventRecord(event, side));
  CHECK(cudaStreamWaitEvent(0, event, 0));
  CHECK(cudaEventSynchronize(event));
  CHECK(cudaEventQuery(event));
  CHECK(cudaStreamSynchronize(side));
  CHECK(cudaDeviceSynchronize());
  if (cudaMalloc((void**)&device, (size_t)1 << 60) == cudaSuccess) {
    return 1;
  }
  for (int i = 1; i < count; ++i) {
    CHECK(cuptiActivityDisable((CUpti_ActivityKind)atoi(kinds[i])));
  }
  launch(side, 8192);  // after all is disabled
  CHECK(cudaDeviceSynchronize());
  CHECK(cuptiActivityFlushAll(0));
  printf("{\"requested\": %d, \"completed\": %d}\n", buffers_requested, buffers_completed);
  return 0;
}
