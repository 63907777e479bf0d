// Findings about the device itself: what it is given, and who else uses it.
// None of these gains can be predicted beyond a bound, so most carry no number.
#include <algorithm>
#include <cmath>
#include <string>

#include "advise/rule.h"

namespace flatout::advise {
namespace {

bool computes_on_cpu(const run::Report& report) {
  return std::ranges::any_of(report.devices,
                             [](const auto& device) { return device.kind == "cpu"; });
}

// A bound, or nothing where it is not worth it.
run::Advice bounded(const Question& question, run::Advice advice) {
  if (question.finding.share <= 0) return advice;
  predict_bound(question, question.finding.share, advice);
  return advice;
}

}  // namespace

Answer answer_precision_unused(const Question& question) {
  const bool float16 = question.finding.cause == run::Cause::kFloat16Only;
  run::Advice autocast =
      by_hand("torch.autocast",
              float16 ? "with torch.autocast(\"cuda\", dtype=torch.float16): around forward and "
                        "loss, and torch.amp.GradScaler around backward and optimizer"
                      : "with torch.autocast(\"cuda\", dtype=torch.bfloat16): around forward and "
                        "loss",
              "");
  autocast.from = "\"off\"";
  autocast.to = float16 ? "\"float16\"" : "\"bfloat16\"";
  autocast.risk = run::Risk::kRounding;
  if (float16) return {autocast};
  run::Advice products =
      by_hand("torch.float32_matmul_precision",
              "torch.set_float32_matmul_precision(\"high\") before training", "");
  products.from = "\"highest\"";
  products.to = "\"high\"";
  products.risk = run::Risk::kRounding;
  return {products, autocast};
}

Answer answer_unfused_optimizer(const Question& question) {
  run::Advice advice = by_hand(run::knob_id::kOptimizerFused, "build the optimizer with fused=True",
                               question.finding.at);
  advice.from = "false";
  advice.to = "true";
  advice.risk = run::Risk::kRounding;
  advice = bounded(question, std::move(advice));
  if (!worth_it(advice.predicted)) return {};
  return {advice};
}

Answer answer_memory_headroom(const Question& question) {
  if (!question.report.loader) return {};
  const std::optional<double>& batch = question.report.loader->batch_size;
  if (!batch || !(*batch >= 1) || *batch > 1e9) return {};
  const long size = std::lround(*batch);
  const run::LoaderReport& loader = *question.report.loader;
  run::Advice advice =
      loader_argument(loader, kLoaderBatchSize, std::to_string(size), std::to_string(2 * size));
  if (loader.batch_sampler.value_or(false)) {  // DataLoader refuses batch_size beside it
    advice.argument.clear();
    advice.how = "batches of " + std::to_string(2 * size) + " from its batch_sampler";
  }
  advice.risk = run::Risk::kChangesTraining;
  advice.how +=
      " with half the gradient accumulation, or adapt the learning rate (SGD x2 with warm-up, "
      "Adam x1.4) and compare the validation metric";
  return {advice};
}

Answer answer_throttled(const Question& question) {
  if (question.finding.cause == run::Cause::kPower) {
    if (question.finding.severity == run::Severity::kInfo) return {};
    return {bounded(question, by_hand("device.power",
                                      "find what limits the power below the GPU's own limit "
                                      "(nvidia-smi -q -d PERFORMANCE,POWER; supply, cables)",
                                      ""))};
  }
  return {bounded(
      question, by_hand("device.cooling", "cool the GPU better: air flow, fans, dust, room", ""))};
}

Answer answer_device_unused(const Question& question) {
  if (!computes_on_cpu(question.report)) {
    run::Advice advice =
        by_hand("launch.processes",
                "one process a GPU (torchrun --nproc-per-node=N with DistributedDataParallel): the "
                "batch of an update grows N times",
                "");
    advice.risk = run::Risk::kChangesTraining;
    return {advice};
  }
  const bool could = question.finding.cause != run::Cause::kCpuBuild;
  run::Advice advice = by_hand(
      could ? "model.device" : "torch.build",
      could ? "model.to(\"cuda\") and batch.to(\"cuda\") in the loop"
            : "install a PyTorch that is built with CUDA, then move model and batches to \"cuda\"",
      "");
  advice.risk = run::Risk::kRounding;
  return {advice};
}

Answer answer_device_shared(const Question& question) {
  run::Advice advice = bounded(
      question, by_hand("device.choice",
                        "another GPU (CUDA_VISIBLE_DEVICES), or one for this run alone", ""));
  if (!worth_it(advice.predicted)) return {};
  return {advice};
}

}  // namespace flatout::advise
