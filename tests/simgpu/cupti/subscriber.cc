#include "cupti/subscriber.h"

#include <array>
#include <cstddef>
#include <memory>

#include "core/context.h"
#include "core/submit.h"
#include "cupti/watch.h"

// Never freed: a thread may be in the callback of a subscription that another one ends.
struct CUpti_Subscriber_st {
  CUpti_CallbackFunc callback = nullptr;
  void* userdata = nullptr;
  std::array<std::unique_ptr<std::atomic<bool>[]>, CUPTI_CB_DOMAIN_SIZE> enabled;
};

namespace simgpu::cupti {
namespace {

static_assert(sizeof(LaunchParameters) == sizeof(cudaLaunchKernel_v7000_params) &&
              offsetof(LaunchParameters, block) ==
                  offsetof(cudaLaunchKernel_v7000_params, blockDim) &&
              offsetof(LaunchParameters, stream) ==
                  offsetof(cudaLaunchKernel_v7000_params, stream));

std::atomic<CUpti_SubscriberHandle> the_subscriber{nullptr};
thread_local bool in_callback = false;

std::size_t callbacks_of(std::size_t domain) {
  switch (domain) {
    case CUPTI_CB_DOMAIN_DRIVER_API:
      return CUPTI_DRIVER_TRACE_CBID_SIZE;
    case CUPTI_CB_DOMAIN_RUNTIME_API:
      return CUPTI_RUNTIME_TRACE_CBID_SIZE;
    case CUPTI_CB_DOMAIN_RESOURCE:
      return CUPTI_CBID_RESOURCE_SIZE;
    case CUPTI_CB_DOMAIN_SYNCHRONIZE:
      return CUPTI_CBID_SYNCHRONIZE_SIZE;
    case CUPTI_CB_DOMAIN_NVTX:
      return CUPTI_CBID_NVTX_SIZE;
    case CUPTI_CB_DOMAIN_STATE:
      return CUPTI_CBID_STATE_SIZE;
    default:
      return 0;
  }
}

CUpti_SubscriberHandle make(CUpti_CallbackFunc callback, void* userdata) {
  auto* const made = new CUpti_Subscriber_st;
  made->callback = callback;
  made->userdata = userdata;
  for (std::size_t domain = 0; domain < made->enabled.size(); ++domain) {
    made->enabled[domain] = std::make_unique<std::atomic<bool>[]>(callbacks_of(domain) + 1);
  }
  return made;
}

bool is_valid(CUpti_SubscriberHandle subscriber, std::size_t domain) {
  return subscriber != nullptr && subscriber == the_subscriber.load() && callbacks_of(domain) != 0;
}

void set_all(CUpti_SubscriberHandle subscriber, std::size_t domain, bool on) {
  for (std::size_t callback = 1; callback < callbacks_of(domain); ++callback) {
    subscriber->enabled[domain][callback] = on;
  }
}

}  // namespace

bool wants(CUpti_CallbackDomain domain, std::uint32_t callback) {
  const CUpti_SubscriberHandle subscriber = the_subscriber.load(std::memory_order_acquire);
  return subscriber != nullptr && !in_callback && callback != 0 &&
         callback < callbacks_of(static_cast<std::size_t>(domain)) &&
         subscriber->enabled[static_cast<std::size_t>(domain)][callback].load(
             std::memory_order_relaxed);
}

void call_back(CUpti_CallbackDomain domain, std::uint32_t callback, const void* data) {
  const CUpti_SubscriberHandle subscriber = the_subscriber.load(std::memory_order_acquire);
  if (subscriber == nullptr || !wants(domain, callback)) {
    return;
  }
  in_callback = true;
  subscriber->callback(subscriber->userdata, domain, callback, data);
  in_callback = false;
}

void call_back(CUpti_ApiCallbackSite site, ApiCall& call, std::uint32_t function) {
  const auto domain =
      call.domain == ApiDomain::kDriver ? CUPTI_CB_DOMAIN_DRIVER_API : CUPTI_CB_DOMAIN_RUNTIME_API;
  if (!wants(domain, function)) {
    return;
  }
  const int device = current_device();
  const std::uint32_t context = context_number(device);
  const CUpti_CallbackData data{
      .callbackSite = site,
      .functionName = call.name,
      .functionParams = call.parameters,
      .functionReturnValue = site == CUPTI_API_EXIT ? &call.result : nullptr,
      .symbolName = call.symbol,
      .context = context != 0 ? static_cast<CUcontext>(context_handle(device)) : nullptr,
      .contextUid = context,
      .correlationData = &call.kept,
      .correlationId = call.correlation};
  call_back(domain, function, &data);
}

void end_subscription() { the_subscriber = nullptr; }

}  // namespace simgpu::cupti

using namespace simgpu::cupti;

extern "C" {

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback,
                           void* userdata) {
  if (subscriber == nullptr) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  watch();
  const CUpti_SubscriberHandle made = make(callback, userdata);
  CUpti_SubscriberHandle nobody = nullptr;
  if (!the_subscriber.compare_exchange_strong(nobody, made)) {
    delete made;
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  }
  *subscriber = made;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle subscriber) {
  CUpti_SubscriberHandle one = subscriber;
  return subscriber != nullptr && the_subscriber.compare_exchange_strong(one, nullptr)
             ? CUPTI_SUCCESS
             : CUPTI_ERROR_INVALID_PARAMETER;
}

CUptiResult cuptiGetCallbackState(uint32_t* enable, CUpti_SubscriberHandle subscriber,
                                  CUpti_CallbackDomain domain, CUpti_CallbackId callback) {
  const auto which = static_cast<std::size_t>(domain);
  if (enable == nullptr || !is_valid(subscriber, which) || callback >= callbacks_of(which)) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  *enable = subscriber->enabled[which][callback] ? 1 : 0;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber,
                                CUpti_CallbackDomain domain, CUpti_CallbackId callback) {
  const auto which = static_cast<std::size_t>(domain);
  if (!is_valid(subscriber, which) || callback == 0 || callback >= callbacks_of(which)) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  subscriber->enabled[which][callback] = enable != 0;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle subscriber,
                              CUpti_CallbackDomain domain) {
  const auto which = static_cast<std::size_t>(domain);
  if (!is_valid(subscriber, which)) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  set_all(subscriber, which, enable != 0);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableAllDomains(uint32_t enable, CUpti_SubscriberHandle subscriber) {
  if (!is_valid(subscriber, CUPTI_CB_DOMAIN_RUNTIME_API)) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  for (std::size_t domain = 1; domain < CUPTI_CB_DOMAIN_SIZE; ++domain) {
    set_all(subscriber, domain, enable != 0);
  }
  return CUPTI_SUCCESS;
}

// NVTX is not simulated: it is none of these.
CUptiResult cuptiSupportedDomains(size_t* count, CUpti_DomainTable* table) {
  static std::array<CUpti_CallbackDomain, 4> domains{
      CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_CB_DOMAIN_RESOURCE,
      CUPTI_CB_DOMAIN_SYNCHRONIZE};
  if (count == nullptr || table == nullptr) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  *count = domains.size();
  *table = domains.data();
  return CUPTI_SUCCESS;
}
}
