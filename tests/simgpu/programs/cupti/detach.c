// CUPTI is detached from the exit callback of a call, as cuptiFinalize's documentation shows.
#include "client.h"

static int detach = 0, calls = 0;

static void called(void* userdata, CUpti_CallbackDomain domain, CUpti_CallbackId callback,
                   const void* data) {
  (void)userdata, (void)domain, (void)callback;
  ++calls;
  if (detach && ((const CUpti_CallbackData*)data)->callbackSite == CUPTI_API_EXIT) {
    CHECK(cuptiFinalize());
  }
}

int main(void) {
  CUpti_SubscriberHandle subscriber;
  collect();
  CHECK(cuptiSubscribe(&subscriber, called, NULL));
  CHECK(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API));
  CHECK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
  launch(0, 1);
  CHECK(cudaDeviceSynchronize());
  CHECK(cuptiActivityFlushAll(0));
  detach = 1;
  CHECK(cudaDeviceSynchronize());
  const int before = calls;
  launch(0, 2);
  CHECK(cudaDeviceSynchronize());
  printf("{\"calls\": %d, \"later\": %d, \"old\": %d}\n", before, calls - before,
         cuptiUnsubscribe(subscriber));
  CHECK(cuptiSubscribe(&subscriber, called, NULL));
  return 0;
}
