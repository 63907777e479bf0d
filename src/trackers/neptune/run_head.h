// Who a run of Neptune's was, of its sys/ attributes. Any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "trackers/imported_run.h"
#include "trackers/json_text.h"

namespace flatout::trackers::neptune {

struct RunHead {
  ImportedHead head;
  std::map<std::string, int, std::less<>> scale;  // digits behind the point of a series' steps
  std::int64_t last_ns = 0;                       // when it was last heard of; 0 = not said
  ImportedEnd how = ImportedEnd::kNotSaid;
  bool was_running = false;  // when it was exported
};

// Of a frame H; absent where it names no run.
std::optional<RunHead> run_head(const Json& said);

// Whether an attribute of this path is a setting; else it is a result. By the names of namespaces
// that Neptune's own examples and integrations use, as flatout.track.neptune does.
bool is_setting(std::string_view path);

}  // namespace flatout::trackers::neptune
