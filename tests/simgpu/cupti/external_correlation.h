// Numbers that the client gives to what a thread does (CUPTI documentation,
// cuptiActivityPushExternalCorrelationId).
#pragma once

#include <vector>

#include "cupti/record.h"

namespace simgpu::cupti {

// One record for each kind with a number on this thread, for the call of that correlation.
std::vector<Record> external_correlations(std::uint32_t correlation);

}  // namespace simgpu::cupti
