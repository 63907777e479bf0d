// Names and texts of statuses, made from NVIDIA's header by generate.py; null for what is none.
#pragma once

#include <cupti_result.h>

namespace simgpu::cupti {

const char* name_of(CUptiResult result);
const char* text_of(CUptiResult result);

}  // namespace simgpu::cupti
