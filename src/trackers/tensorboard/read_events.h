// A folder with event files is a run of TensorBoard's, as TensorBoard itself sees it: all files
// directly in it, in the order of their names.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "trackers/imported_run.h"

namespace flatout::trackers::tensorboard {

bool is_event_file(std::string_view file_name);

// `name` is what the run is called. Scalars (also as tensors), text, pictures, histograms and
// hyperparameters are taken; of all else the sink gets a note. kCorrupt where the first file holds
// no event; later damage is a note.
base::Result<void> read_events(const std::vector<std::filesystem::path>& files,
                               const std::string& name, ImportSink& sink);

}  // namespace flatout::trackers::tensorboard
