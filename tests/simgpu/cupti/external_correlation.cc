#include "cupti/external_correlation.h"

#include <array>

namespace simgpu::cupti {
namespace {

using Stacks = std::array<std::vector<std::uint64_t>, CUPTI_EXTERNAL_CORRELATION_KIND_SIZE>;

Stacks& stacks() {
  thread_local Stacks own;
  return own;
}

bool is_valid(CUpti_ExternalCorrelationKind kind) {
  return kind > CUPTI_EXTERNAL_CORRELATION_KIND_INVALID &&
         kind < CUPTI_EXTERNAL_CORRELATION_KIND_SIZE;
}

}  // namespace

std::vector<Record> external_correlations(std::uint32_t correlation) {
  std::vector<Record> made;
  for (std::size_t kind = 0; kind < stacks().size(); ++kind) {
    if (const auto& own = stacks()[kind]; !own.empty()) {
      made.push_back(CUpti_ActivityExternalCorrelation{
          .kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
          .externalKind = static_cast<CUpti_ExternalCorrelationKind>(kind),
          .externalId = own.back(),
          .correlationId = correlation,
          .reserved = 0});
    }
  }
  return made;
}

}  // namespace simgpu::cupti

extern "C" {

CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind,
                                                   uint64_t id) {
  if (!simgpu::cupti::is_valid(kind)) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  simgpu::cupti::stacks()[static_cast<std::size_t>(kind)].push_back(id);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind,
                                                  uint64_t* last) {
  if (!simgpu::cupti::is_valid(kind)) {
    return CUPTI_ERROR_INVALID_PARAMETER;
  }
  auto& own = simgpu::cupti::stacks()[static_cast<std::size_t>(kind)];
  if (own.empty()) {
    return CUPTI_ERROR_QUEUE_EMPTY;
  }
  if (last != nullptr) {
    *last = own.back();
  }
  own.pop_back();
  return CUPTI_SUCCESS;
}
}
