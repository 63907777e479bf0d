// The one client of callbacks (CUPTI documentation, "Callback API").
#pragma once

#include <cupti.h>

#include <atomic>

#include "core/observer.h"

namespace simgpu::cupti {

// Calls the subscriber where it has asked for that callback; not for what it does itself meanwhile.
void call_back(CUpti_CallbackDomain domain, std::uint32_t callback, const void* data);
bool wants(CUpti_CallbackDomain domain, std::uint32_t callback);

// Of a runtime or driver call.
void call_back(CUpti_ApiCallbackSite site, ApiCall& call, std::uint32_t function);

// Ends the subscription, if there is one.
void end_subscription();

}  // namespace simgpu::cupti
