// A run of wandb's from its offline log. Field numbers: wandb/proto/wandb_internal.proto.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "trackers/imported_run.h"

namespace flatout::trackers::wandb {

// History, config, summary, metric definitions, alerts, system metrics (as system/NAME) and how it
// ended are taken; files, artifacts and console output are counted in a note. Pictures that a log()
// named are looked for beside the log, in files/media.
base::Result<void> read_log(const std::filesystem::path& path, ImportSink& sink);

}  // namespace flatout::trackers::wandb
