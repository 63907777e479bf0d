// A library that CUDA_INJECTION64_PATH names.
#include "client.h"

static void called(void* userdata, CUpti_CallbackDomain domain, CUpti_CallbackId callback,
                   const void* data) {
  (void)userdata, (void)domain, (void)callback;
  const CUpti_CallbackData* one = data;
  if (one->callbackSite == CUPTI_API_ENTER) {
    fprintf(stderr, "injected: first %s\n", one->functionName);
    CHECK(cuptiEnableDomain(0, *(CUpti_SubscriberHandle*)userdata, CUPTI_CB_DOMAIN_RUNTIME_API));
    CHECK(cuptiEnableDomain(0, *(CUpti_SubscriberHandle*)userdata, CUPTI_CB_DOMAIN_DRIVER_API));
  }
}

int InitializeInjection(void) {
  static CUpti_SubscriberHandle subscriber;
  int count = -1;
  cudaGetDeviceCount(&count);  // CUDA may be used here
  fprintf(stderr, "injected: %d device\n", count);
  CHECK(cuptiSubscribe(&subscriber, called, &subscriber));
  CHECK(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API));
  CHECK(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API));
  return 1;
}
