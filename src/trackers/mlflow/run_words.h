// What a run of MLflow's says, in files or in a database. Pure but for note_artifacts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "trackers/imported_run.h"
#include "trackers/json_text.h"

namespace flatout::trackers::mlflow {

// 0 for what is no time since 1970 that can be meant.
std::int64_t ns_of_ms(std::int64_t ms);

// RunStatus: by number in older files, by name in others.
ImportedEnd end_of(std::string_view status);

// MLflow keeps the run's name, note, source and user as tags of its own.
void take_tag(const std::string& key, const std::string& value, ImportedHead& head);

// Each parameter is a text; one that reads as a number is one.
Json param_value(const std::string& text);

// What may be the id of a run: no path.
bool is_run_name(std::string_view text);

// Says how many files lie in `folder`, a path or a file: URI; nothing where there are none.
void note_artifacts(const std::string& folder, ImportSink& sink);

}  // namespace flatout::trackers::mlflow
