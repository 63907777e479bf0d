// What a kernel trace says of the device's limits: how near its roofs it works, and its memory.
#include <string>

#include "report/quantity.h"
#include "report/text_parts.h"

namespace flatout::report {
namespace {

constexpr double kShownOfTime = 0.03;  // of the kernels' time: below it a class says little
constexpr std::size_t kShownClasses = 2;
constexpr double kNearlyAll = 0.95;  // of the time: shapes are known

std::string after_comma(std::string text, const std::string& item) {
  return text.empty() ? item : text + ", " + item;
}

std::string times_text(std::int64_t count) {
  return count == 1 ? "once" : std::to_string(count) + " times";
}

}  // namespace

std::string bandwidth_text(double gb_per_s) {
  return gb_per_s < 1000 ? format_number(gb_per_s) + " GB/s"
                         : format_number(gb_per_s / 1000) + " TB/s";
}

std::string roof_class_text(const run::RooflineClassReport& one) {
  const auto with_share = [](std::string text, const std::optional<double>& share) {
    return share ? text + " (" + format_percent(*share) + ")" : text;
  };
  std::string text;
  if (one.tflops) text = with_share(format_number(*one.tflops) + " TFLOP/s", one.compute_share);
  if (one.gb_per_s && (!one.tflops || one.bound == "memory")) {
    text = after_comma(text, with_share(bandwidth_text(*one.gb_per_s), one.bandwidth_share));
  }
  return text;
}

std::string roofline_text(const run::RooflineReport& roofline) {
  double all_ms = 0;
  for (const run::RooflineClassReport& one : roofline.classes) all_ms += one.time_ms;
  std::string text = flops_text(roofline);
  std::size_t shown = 0;
  for (const run::RooflineClassReport& one : roofline.classes) {
    if (one.time_ms < kShownOfTime * all_ms || shown == kShownClasses) continue;
    const std::string figures = roof_class_text(one);
    if (figures.empty()) continue;
    text += (text.empty() ? "" : "; ") + one.kernel_class + " " + figures;
    ++shown;
  }
  if (text.empty() || roofline.known_share >= kNearlyAll) return text;
  return text + "; shapes known for " + format_percent(roofline.known_share) + " of kernel time";
}

std::string flops_text(const run::RooflineReport& roofline) {
  if (!roofline.tflops) return "";
  std::string text = format_number(*roofline.tflops) + " TFLOP/s over the window";
  if (roofline.flops_utilization) {
    text += ", " + format_percent(*roofline.flops_utilization) + " of peak";
  }
  return text;
}

std::string allocator_text(const run::AllocatorReport& memory) {
  std::string text;
  if (memory.processes > 1) {
    text = std::to_string(memory.processes) + " processes, their peaks summed: ";
  }
  text += "peak " + format_bytes(static_cast<double>(memory.peak_allocated_bytes)) + " allocated";
  if (memory.peak_at_step) text += " in step " + std::to_string(*memory.peak_at_step);
  if (memory.peak_by_step) {
    const std::string by = std::to_string(*memory.peak_by_step);
    text += memory.peak_after_step
                ? " in steps " + std::to_string(*memory.peak_after_step + 1) + " to " + by
                : " by step " + by;
  }
  if (memory.peak_reserved_bytes) {
    text += ", " + format_bytes(static_cast<double>(*memory.peak_reserved_bytes)) + " reserved";
  }
  if (memory.free_at_peak_bytes) {
    text += ", " + format_bytes(static_cast<double>(*memory.free_at_peak_bytes)) +
            " of it free at the peak";
  }
  if (const auto retries = memory.retries_in_steps.value_or(0); retries > 0) {
    text += "; it found no room and emptied its cache " + times_text(retries) + " in the steps";
  }
  if (const auto ooms = memory.ooms.value_or(0); ooms > 0) {
    text += "; " + std::to_string(ooms) + (ooms == 1 ? " allocation" : " allocations") + " failed";
  }
  return text;
}

Rank allocator_rank(const run::AllocatorReport& memory) {
  return memory.retries_in_steps.value_or(0) > 0 || memory.ooms.value_or(0) > 0 ? kDevice : kSample;
}

std::string queue_text(const run::QueueReport& queue) {
  return "queue " + format_number(queue.depth_mean) + " deep in the mean, empty " +
         format_percent(queue.empty_share) + " of the time";
}

}  // namespace flatout::report
