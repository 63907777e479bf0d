// What the clients of CUPTI in the tests share: buffers, records as one JSON object a line, and a
// kernel.
#pragma once

#include <cuda_runtime_api.h>
#include <cupti.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../check.h"

static size_t buffer_bytes = 64 << 10, most_records = 0;
static int buffers_requested = 0, buffers_completed = 0, buffers_declined = 0;

static void print_record(const CUpti_Activity* record) {
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
      const CUpti_ActivityKernel10* one = (const CUpti_ActivityKernel10*)record;
      printf(
          "{\"kind\": %d, \"name\": \"%s\", \"start\": %lu, \"end\": %lu, \"device\": %u, "
          "\"context\": %u, \"stream\": %u, "
          "\"correlation\": %u, \"grid\": %d, \"block\": %d, \"queued\": %lu, \"graph\": %u, "
          "\"graph_node\": %lu}\n",
          record->kind, one->name, one->start, one->end, one->deviceId, one->contextId,
          one->streamId, one->correlationId, one->gridX, one->blockX, one->queued, one->graphId,
          one->graphNodeId);
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const CUpti_ActivityMemcpy6* one = (const CUpti_ActivityMemcpy6*)record;
      printf(
          "{\"kind\": %d, \"copy\": %d, \"from\": %d, \"to\": %d, \"flags\": %d, \"bytes\": %lu, "
          "\"start\": %lu, \"end\": %lu, "
          "\"device\": %u, \"stream\": %u, \"correlation\": %u}\n",
          record->kind, one->copyKind, one->srcKind, one->dstKind, one->flags, one->bytes,
          one->start, one->end, one->deviceId, one->streamId, one->correlationId);
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY2: {
      const CUpti_ActivityMemcpyPtoP4* one = (const CUpti_ActivityMemcpyPtoP4*)record;
      printf(
          "{\"kind\": %d, \"copy\": %d, \"bytes\": %lu, \"from_device\": %u, \"to_device\": %u, "
          "\"correlation\": %u}\n",
          record->kind, one->copyKind, one->bytes, one->srcDeviceId, one->dstDeviceId,
          one->correlationId);
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const CUpti_ActivityMemset4* one = (const CUpti_ActivityMemset4*)record;
      printf(
          "{\"kind\": %d, \"value\": %u, \"bytes\": %lu, \"start\": %lu, \"end\": %lu, \"stream\": "
          "%u, \"correlation\": %u}\n",
          record->kind, one->value, one->bytes, one->start, one->end, one->streamId,
          one->correlationId);
      break;
    }
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER: {
      const CUpti_ActivityAPI* one = (const CUpti_ActivityAPI*)record;
      const char* name = "";
      cuptiGetCallbackName(record->kind == CUPTI_ACTIVITY_KIND_DRIVER ? CUPTI_CB_DOMAIN_DRIVER_API
                                                                      : CUPTI_CB_DOMAIN_RUNTIME_API,
                           one->cbid, &name);
      printf(
          "{\"kind\": %d, \"function\": \"%s\", \"start\": %lu, \"end\": %lu, \"own_thread\": %d, "
          "\"own_process\": %d, "
          "\"correlation\": %u, \"result\": %u}\n",
          record->kind, name, one->start, one->end, one->threadId == (uint32_t)pthread_self(),
          one->processId == (uint32_t)getpid(), one->correlationId, one->returnValue);
      break;
    }
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: {
      const CUpti_ActivitySynchronization2* one = (const CUpti_ActivitySynchronization2*)record;
      printf(
          "{\"kind\": %d, \"type\": %d, \"start\": %lu, \"end\": %lu, \"context\": %u, \"stream\": "
          "%u, \"event\": %u, \"record\": %lu, "
          "\"correlation\": %u, \"result\": %u}\n",
          record->kind, one->type, one->start, one->end, one->contextId, one->streamId,
          one->cudaEventId, one->cudaEventSyncId, one->correlationId, one->returnValue);
      break;
    }
    case CUPTI_ACTIVITY_KIND_CUDA_EVENT: {
      const CUpti_ActivityCudaEvent2* one = (const CUpti_ActivityCudaEvent2*)record;
      printf(
          "{\"kind\": %d, \"event\": %u, \"record\": %lu, \"time\": %lu, \"stream\": %u, "
          "\"device\": %u, \"correlation\": %u}\n",
          record->kind, one->eventId, one->cudaEventSyncId, one->deviceTimestamp, one->streamId,
          one->deviceId, one->correlationId);
      break;
    }
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
      const CUpti_ActivityExternalCorrelation* one =
          (const CUpti_ActivityExternalCorrelation*)record;
      printf("{\"kind\": %d, \"of\": %d, \"external\": %lu, \"correlation\": %u}\n", record->kind,
             one->externalKind, one->externalId, one->correlationId);
      break;
    }
    default:
      printf("{\"kind\": %d}\n", record->kind);
  }
}

static void buffer_requested(uint8_t** buffer, size_t* bytes, size_t* most) {
  ++buffers_requested;
  *buffer = buffers_declined ? NULL : aligned_alloc(8, buffer_bytes);
  *bytes = buffers_declined ? 0 : buffer_bytes;
  *most = most_records;
}

static void buffer_completed(CUcontext context, uint32_t stream, uint8_t* buffer, size_t bytes,
                             size_t valid) {
  ++buffers_completed;
  if (context != NULL || stream != 0 || bytes != buffer_bytes || valid > bytes) {
    fprintf(stderr, "a buffer that is none of ours\n");
    exit(1);
  }
  CUpti_Activity* record = NULL;
  while (valid > 0 && cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    print_record(record);
  }
  free(buffer);
}

static inline void collect(void) {
  CHECK(cuptiActivityRegisterCallbacks(buffer_requested, buffer_completed));
}

// nvcc would register it under this name.
static char a_kernel;
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*,
                            void*, int*);

static inline void launch(cudaStream_t stream, unsigned blocks) {
  static int registered = 0;
  if (!registered) {
    registered = 1;
    __cudaRegisterFunction(NULL, &a_kernel, NULL, "_Z8a_kernelPfi", -1, NULL, NULL, NULL, NULL,
                           NULL);
  }
  void* arguments[2] = {NULL, NULL};
  float* data = NULL;
  int count = 0;
  arguments[0] = &data;
  arguments[1] = &count;
  dim3 grid = {blocks, 1, 1}, block = {256, 1, 1};
  CHECK(cudaLaunchKernel(&a_kernel, grid, block, arguments, 0, stream));
}
