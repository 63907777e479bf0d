#include "inject/cupti/trace_state.h"

#include <cstdio>

namespace flatout::inject::cupti {

void say_state(TraceRing& ring, Settings::Mode mode, const char* version, const char* state,
               const char* why) {
  char json[352];
  char reason[200] = "";
  char known_version[48] = "";
  if (why != nullptr) std::snprintf(reason, sizeof reason, ",\"why\":\"%s\"", why);
  if (*version != '\0') {
    std::snprintf(known_version, sizeof known_version, "\"cupti\":\"%s\",", version);
  }
  const char* how = mode == Settings::Mode::kWindows ? "windows" : "kernels";
  std::snprintf(json, sizeof json, "{\"mode\":\"%s\",%s\"state\":\"%s\"%s}", how, known_version,
                state, reason);
  ring.fact("trace", json);
}

void copy_client_name(const char* who, char* out, std::size_t capacity) {
  std::size_t to = 0;
  for (; *who != '\0' && to + 1 < capacity; ++who) {
    if (*who >= ' ' && *who < 127 && *who != '"' && *who != '\\') out[to++] = *who;
  }
  out[to] = '\0';
}

}  // namespace flatout::inject::cupti
