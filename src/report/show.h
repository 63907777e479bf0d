// The views of a Description. Pure; any thread; never throws. JSON is
// "flatout.show/1" (schema/show.schema.json).
#pragma once

#include <string>

#include "report/style.h"
#include "run/description.h"

namespace flatout::report {

// Lines as `style` has them; paths, commands and notes are wrapped over as many lines as they need.
// The series of processes are summed up to one line a metric; the JSON view has each.
std::string to_text(const run::Description& description, const Style& style = {});
std::string to_json(const run::Description& description);

// "host", "GPU 0", "pid 123".
std::string source_label(std::int32_t source);

}  // namespace flatout::report
