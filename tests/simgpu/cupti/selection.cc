#include "cupti/selection.h"

#include <algorithm>

namespace simgpu::cupti {
namespace {

constexpr std::size_t kMostChanges = 64;  // an activity older than that is not asked for any more

CUpti_ActivityKind kind_of_domain(ApiDomain domain) {
  return domain == ApiDomain::kDriver ? CUPTI_ACTIVITY_KIND_DRIVER : CUPTI_ACTIVITY_KIND_RUNTIME;
}

}  // namespace

std::vector<bool>& Selection::functions(ApiDomain domain) {
  runtime_.resize(CUPTI_RUNTIME_TRACE_CBID_SIZE);
  driver_.resize(CUPTI_DRIVER_TRACE_CBID_SIZE);
  return domain == ApiDomain::kDriver ? driver_ : runtime_;
}

Selection::Change& Selection::next_change(CUpti_ActivityKind kind) {
  auto& all = changes_[static_cast<std::size_t>(kind)];
  if (all.size() >= kMostChanges) {
    all.erase(all.begin(), all.begin() + kMostChanges / 2);
  }
  all.push_back(all.empty() ? Change{} : all.back());
  all.back().at = now();
  return all.back();
}

void Selection::set(CUpti_ActivityKind kind, bool on) {
  next_change(kind).everywhere = on;
  for (const ApiDomain domain : {ApiDomain::kRuntime, ApiDomain::kDriver}) {
    if (kind == kind_of_domain(domain)) {
      auto& all = functions(domain);
      std::fill(all.begin(), all.end(), on);
    }
  }
}

void Selection::set_for(CUpti_ActivityKind kind, int device, bool on) {
  next_change(kind).of_device[device] = on;
}

bool Selection::is_on(CUpti_ActivityKind kind, int device, Nanoseconds at) const {
  const auto& all = changes_[static_cast<std::size_t>(kind)];
  const auto later = std::find_if(all.rbegin(), all.rend(),
                                  [at](const Change& change) { return change.at <= at; });
  if (later == all.rend()) {
    return false;
  }
  const auto own = later->of_device.find(device);
  return own != later->of_device.end() ? own->second : later->everywhere;
}

CUptiResult Selection::set_function(ApiDomain domain, std::uint32_t function, bool on) {
  auto& all = functions(domain);
  if (function == 0 || function >= all.size()) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  all[function] = on;
  return CUPTI_SUCCESS;
}

bool Selection::traces(ApiDomain domain, std::uint32_t function, int device, Nanoseconds at) const {
  const auto& all = changes_[static_cast<std::size_t>(kind_of_domain(domain))];
  if (!all.empty() && all.back().of_device.contains(device)) {
    return is_on(kind_of_domain(domain), device, at);
  }
  const auto& own = domain == ApiDomain::kDriver ? driver_ : runtime_;
  return function < own.size() && own[function];
}

}  // namespace simgpu::cupti
