#include "trial/environment.h"

#include <algorithm>
#include <string_view>

namespace flatout::trial {
namespace {

struct Setting {
  std::string_view name;
  std::string_view value;  // "" with below_spill: the folder itself
  bool below_spill = false;
};

// Each with the page, or the source, that says what it means.
constexpr Setting kSettings[] = {
    // "disabled": a no-operation, nothing is logged, locally neither.
    // https://docs.wandb.ai/support/testing_code_turn_off
    {"WANDB_MODE", "disabled"},
    // https://docs.wandb.ai/models/track/environment-variables
    {"WANDB_SILENT", "true"},
    // There is no "off": runs go to a folder that is thrown away.
    // https://mlflow.org/docs/latest/ml/tracking/ (MLFLOW_TRACKING_URI)
    {"MLFLOW_TRACKING_URI", "file:", true},
    // From MLflow 3.13 on a folder has to be allowed; the alternative, SQLite, costs
    // each start a schema migration. https://github.com/mlflow/mlflow/issues/23634
    {"MLFLOW_ALLOW_FILE_STORE", "true"},
    // The key comet.auto_log.disable: no experiment reports anything.
    // https://www.comet.com/docs/v2/api-and-sdk/python-sdk/reference/OfflineExperiment
    {"COMET_AUTO_LOG_DISABLE", "1"},
    // Should one report all the same: to a file in the working directory.
    // https://huggingface.co/docs/transformers/main_classes/callback (CometCallback)
    {"COMET_START_ONLINE", "0"},
    // "offline" is the one value that both clients know and that sends nothing: "debug" is
    // the older client's alone, "disabled" the newer one's. Files go into .neptune of
    // the working directory.
    // https://docs.neptune.ai/logging/modes/ and https://docs.neptune.ai/modes
    {"NEPTUNE_MODE", "offline"},
    // Offline, which still writes: into the cache, so that moves.
    // https://clear.ml/docs/latest/docs/clearml_sdk/task_sdk (CLEARML_OFFLINE_MODE),
    // clearml/config/defs.py (CLEARML_CACHE_DIR)
    {"CLEARML_OFFLINE_MODE", "1"},
    {"CLEARML_CACHE_DIR", "clearml", true},
    // https://docs.swanlab.cn/en/api/environment-variable.html
    {"SWANLAB_MODE", "disabled"},
    // Where its database lies; it has no mode. https://huggingface.co/docs/trackio
    {"TRACKIO_DIR", "trackio", true},
    // Live experiments are not shared. https://dvc.org/doc/user-guide/env
    {"DVC_STUDIO_OFFLINE", "true"},
    // transformers/integrations/integration_utils.py, TensorBoardCallback
    {"TENSORBOARD_LOGGING_DIR", "tensorboard", true},
};

// They name an existing run, which the empty store does not know, or a second
// place to send to.
constexpr std::string_view kLeftOut[] = {
    "MLFLOW_RUN_ID",        "MLFLOW_EXPERIMENT_ID", "MLFLOW_REGISTRY_URI",
    "COMET_EXPERIMENT_KEY", "CLEARML_TASK_ID",      "TRACKIO_SPACE_ID",
};

// DISABLE_MLFLOW_INTEGRATION is not among them: a Trainer with report_to="mlflow"
// then raises, for want of mlflow, and the trial would fail.

std::string_view name_of(std::string_view entry) { return entry.substr(0, entry.find('=')); }

std::string entry_of(const Setting& setting, const std::filesystem::path& spill) {
  std::string out(setting.name);
  out += '=';
  if (!setting.below_spill) return out.append(setting.value);
  if (setting.value == "file:") return out + "file:" + (spill / "mlruns").string();
  return out + (spill / setting.value).string();
}

}  // namespace

launch::Environment trial_environment(std::span<const std::string> env,
                                      const std::filesystem::path& spill) {
  launch::Environment out;
  for (const std::string& entry : env) {
    const std::string_view name = name_of(entry);
    const bool set = std::ranges::find(kSettings, name, &Setting::name) != std::end(kSettings);
    if (!set && std::ranges::find(kLeftOut, name) == std::end(kLeftOut)) out.push_back(entry);
  }
  for (const Setting& setting : kSettings) out.push_back(entry_of(setting, spill));
  return out;
}

}  // namespace flatout::trial
