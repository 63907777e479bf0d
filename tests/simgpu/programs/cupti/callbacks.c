// Callbacks of all domains, a second subscriber, the end of a subscription.
#include "client.h"

static int nested = 0;

static void site(const char* domain, uint32_t callback, const CUpti_CallbackData* data) {
  const int leaves = data->callbackSite == CUPTI_API_EXIT;
  if (!leaves) {
    *data->correlationData = data->correlationId + 1000u;
  }
  printf(
      "{\"domain\": \"%s\", \"id\": %u, \"site\": %d, \"function\": \"%s\", \"symbol\": \"%s\", "
      "\"correlation\": %u, \"kept\": %d, "
      "\"context\": %u, \"has_context\": %d, \"result\": %d",
      domain, callback, data->callbackSite, data->functionName,
      data->symbolName == NULL ? "" : data->symbolName, data->correlationId,
      *data->correlationData == data->correlationId + 1000u, data->contextUid,
      data->context != NULL, leaves ? *(int*)data->functionReturnValue : -1);
  if (callback == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000 &&
      strcmp(domain, "runtime") == 0) {
    const cudaLaunchKernel_v7000_params* given = data->functionParams;
    printf(", \"grid\": %u, \"block\": %u", given->gridDim.x, given->blockDim.x);
  } else if (callback == CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020 &&
             strcmp(domain, "runtime") == 0) {
    const cudaMemcpyAsync_v3020_params* given = data->functionParams;
    printf(", \"bytes\": %zu, \"copy\": %d", given->count, given->kind);
  }
  printf("}\n");
}

static void called(void* userdata, CUpti_CallbackDomain domain, CUpti_CallbackId callback,
                   const void* data) {
  if (strcmp(userdata, "mine") != 0) {
    exit(1);
  }
  switch (domain) {
    case CUPTI_CB_DOMAIN_RUNTIME_API:
      site("runtime", callback, data);
      break;
    case CUPTI_CB_DOMAIN_DRIVER_API:
      site("driver", callback, data);
      break;
    case CUPTI_CB_DOMAIN_RESOURCE: {
      const CUpti_ResourceData* one = data;
      printf("{\"domain\": \"resource\", \"id\": %u, \"has_context\": %d, \"stream\": %lu}\n",
             callback, one->context != NULL, (unsigned long)one->resourceHandle.stream);
      break;
    }
    case CUPTI_CB_DOMAIN_SYNCHRONIZE: {
      const CUpti_SynchronizeData* one = data;
      printf("{\"domain\": \"synchronize\", \"id\": %u, \"stream\": %lu}\n", callback,
             (unsigned long)one->stream);
      break;
    }
    default:
      printf("{\"domain\": %d}\n", domain);
  }
  if (!nested) {
    nested = 1;
    int device = 0;
    CHECK(cudaGetDevice(&device));  // the client may call CUDA; it sees no callback of that
    nested = 0;
  }
}

int main(void) {
  CUpti_SubscriberHandle subscriber, second;
  CHECK(cuptiSubscribe(&subscriber, called, "mine"));
  printf("{\"second\": %d}\n", cuptiSubscribe(&second, called, "theirs"));
  CHECK(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API));
  CHECK(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE));
  CHECK(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_SYNCHRONIZE));
  CHECK(cuptiEnableCallback(0, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API,
                            CUPTI_RUNTIME_TRACE_CBID_cudaFree_v3020));
  uint32_t on = 7, off = 7;
  CHECK(cuptiGetCallbackState(&on, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API,
                              CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020));
  CHECK(cuptiGetCallbackState(&off, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API,
                              CUPTI_RUNTIME_TRACE_CBID_cudaFree_v3020));
  printf("{\"state\": [%u, %u], \"none\": %d}\n", on, off,
         cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, 100000));
  char* device = NULL;
  cudaStream_t stream;
  char host[64];
  CHECK(cudaMalloc((void**)&device, 4096));
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  printf("{\"made\": %lu}\n", (unsigned long)stream);
  CHECK(cudaMemcpyAsync(device, host, sizeof(host), cudaMemcpyHostToDevice, stream));
  launch(stream, 33);
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaDeviceSynchronize());
  (void)cudaStreamSynchronize((cudaStream_t)&device);  // none of CUDA's
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(device));
  CHECK(cuptiUnsubscribe(subscriber));
  CHECK(cudaMalloc((void**)&device, 4096));
  printf("{\"again\": %d, \"enable\": %d}\n", cuptiUnsubscribe(subscriber),
         cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API));
  CHECK(cuptiSubscribe(&second, called, "mine"));
  return 0;
}
