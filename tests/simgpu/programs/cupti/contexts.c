// Kinds of one context alone, functions alone, attributes, wrong arguments, and a detached CUPTI.
#include <cuda.h>

#include "client.h"

int main(void) {
  CUcontext contexts[2];
  CHECK(cuInit(0));
  for (int i = 0; i < 2; ++i) {
    CHECK(cuDevicePrimaryCtxRetain(&contexts[i], i));
  }
  uint32_t ids[2], device = 9;
  CHECK(cuptiGetContextId(contexts[0], &ids[0]));
  CHECK(cuptiGetContextId(contexts[1], &ids[1]));
  CHECK(cuptiGetDeviceId(contexts[1], &device));
  printf("{\"ids\": [%u, %u], \"device\": %u}\n", ids[0], ids[1], device);
  collect();
  CHECK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
  CHECK(cuptiActivityDisableContext(contexts[0], CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
  CHECK(cuptiActivityEnableContext(contexts[0], CUPTI_ACTIVITY_KIND_MEMSET));
  CHECK(cuptiActivityEnableRuntimeApi(CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020, 1));
  for (int i = 0; i < 2; ++i) {
    char* memory = NULL;
    CHECK(cudaSetDevice(i));
    launch(0, 100 + (unsigned)i);
    CHECK(cudaMalloc((void**)&memory, 1024));
    CHECK(cudaMemset(memory, 0, 1024));
    CHECK(cudaDeviceSynchronize());
  }
  CHECK(cuptiActivityFlushAll(0));
  size_t bytes = sizeof(size_t), value = 0;
  CHECK(cuptiActivityGetAttribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT, &bytes, &value));
  const size_t before = value;
  value = 5;
  CHECK(cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT, &bytes, &value));
  value = 0;
  CHECK(cuptiActivityGetAttribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT, &bytes, &value));
  size_t few = 4;
  const char *text = NULL, *name = NULL;
  CHECK(cuptiGetResultString(CUPTI_ERROR_INVALID_KIND, &name));
  CHECK(cuptiGetErrorMessage(CUPTI_ERROR_INVALID_KIND, &text));
  printf(
      "{\"attribute\": [%zu, %zu], \"small\": %d, \"null\": %d, \"name\": \"%s\", \"text\": "
      "\"%s\"}\n",
      before, value,
      cuptiActivityGetAttribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT, &few, &value),
      cuptiActivityGetAttribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT, NULL, NULL), name,
      text);
  printf(
      "{\"kinds\": [%d, %d, %d, %d], \"callbacks\": %d, \"clock\": %d, \"pop\": [%d, %d], "
      "\"context\": %d, \"counters\": %d}\n",
      cuptiActivityEnable(CUPTI_ACTIVITY_KIND_BRANCH),
      cuptiActivityEnable(CUPTI_ACTIVITY_KIND_METRIC),
      cuptiActivityEnable(CUPTI_ACTIVITY_KIND_INVALID),
      cuptiActivityEnable((CUpti_ActivityKind)5000),
      cuptiActivityRegisterCallbacks(NULL, buffer_completed),
      cuptiActivityRegisterTimestampCallback(NULL),
      cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, NULL),
      cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_INVALID, NULL),
      cuptiGetContextId(NULL, &ids[0]), cuptiActivityConfigurePCSampling(contexts[0], NULL));
  cudaStream_t stream;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_STREAM));
  CHECK(cuptiActivityFlushAll(0));
  printf("{\"made before\": true}\n");
  CHECK(cuptiActivityEnableAndDump(CUPTI_ACTIVITY_KIND_CONTEXT));
  CHECK(cuptiActivityEnableAndDump(CUPTI_ACTIVITY_KIND_STREAM));
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cuptiActivityFlushAll(0));
  CHECK(cuptiFinalize());
  launch(0, 500);
  CHECK(cudaDeviceSynchronize());
  printf("{\"detached\": %d}\n", cuptiActivityFlushAll(0));
  collect();  // and back
  CHECK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
  launch(0, 600);
  CHECK(cudaDeviceSynchronize());
  CHECK(cuptiActivityFlushAll(0));
  return 0;
}
