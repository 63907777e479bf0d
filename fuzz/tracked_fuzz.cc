// Facts that a program wrote of its tracked runs, and files that they name: whatever they say, the
// merged view is made, and its config and summary are JSON objects.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "analyse/tracked/tracked_runs.h"
#include "run/timeline.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

// Lines: a key, a blank, its JSON. A line that begins with = is the text of every file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace run = flatout::run;
  std::string rest(reinterpret_cast<const char*>(data), size);
  std::string file;
  run::Timeline timeline;
  for (std::int64_t t_ns = 1; !rest.empty() && t_ns < 1000; ++t_ns) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string line = rest.substr(0, end);
    rest.erase(0, end + 1);
    const std::size_t cut = line.find(' ');
    if (line.starts_with('=')) {
      file = line.substr(1);
    } else if (cut != std::string::npos) {
      auto& process = timeline.processes[static_cast<pid_t>(1 + t_ns % 2)];
      process.facts.push_back({t_ns, line.substr(0, cut), line.substr(cut + 1)});
      process.values.push_back({.t_ns = t_ns,
                                .value = 1.0 / static_cast<double>(t_ns % 3),
                                .step = t_ns,
                                .track = static_cast<std::uint32_t>(t_ns % 2),
                                .name = line.substr(0, cut)});
    }
  }
  const auto all = flatout::analyse::tracked_runs(timeline, [&](std::string_view) { return file; });
  for (const run::TrackedRun& one : all) {
    if (one.parts.empty()) std::abort();
    for (const std::string& text : {one.config, one.summary}) {
      if (!nlohmann::json::parse(text, nullptr, false).is_object()) std::abort();
    }
  }
  return 0;
}
