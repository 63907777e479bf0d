// What the agent says of itself: the fact `trace`. Any thread; allocates nothing.
#pragma once

#include <cstddef>

#include "inject/cupti/settings.h"
#include "inject/cupti/trace_ring.h"

namespace flatout::inject::cupti {

// `version`: of CUPTI, "" = not known. `why`: without quotes and backslashes, nullptr = no reason.
void say_state(TraceRing& ring, Settings::Mode mode, const char* version, const char* state,
               const char* why);

// Copies a name that goes into such a reason, without what could end a text of JSON.
void copy_client_name(const char* who, char* out, std::size_t capacity);

}  // namespace flatout::inject::cupti
