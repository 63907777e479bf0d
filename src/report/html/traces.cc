// What a kernel trace says of a device: why it idled, and its kernels by time.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/html/parts.h"
#include "report/kernel_names.h"
#include "report/quantity.h"
#include "report/text_parts.h"
#include "run/wait_text.h"

namespace flatout::report::html {
namespace {

void number_cell(Markup& out, double value, const std::string& shown) {
  const auto cell = out.in("td", {{"class", "num"}});
  out.number(value, shown);
}

void bar_cell(Markup& out, double share) {
  const auto cell = out.in("td", {{"class", "wide"}});
  share_bar(out, "r-worker", share);
}

void idle_table(Markup& out, const run::KernelTraceReport& trace) {
  if (!trace.idle_account) return;
  const Table table(out,
                    "Why the device idled, share of " +
                        std::string(trace.of_steps ? "traced steps of " : "its window of ") +
                        format_ms(trace.window_ms),
                    {"Cause", "", "Share", "Time"}, "stages");
  const auto body = out.in("tbody");
  for (const IdleCauseWords& cause : idle_causes(*trace.idle_account)) {
    if (!(cause.share > 0)) continue;
    const auto row = out.in("tr");
    out.element("th", {{"scope", "row"}}, cause.words);
    bar_cell(out, cause.share);
    number_cell(out, cause.share, format_percent(cause.share));
    number_cell(out, cause.share * trace.window_ms, format_ms(cause.share * trace.window_ms));
  }
}

void wait_table(Markup& out, const Page& page, const run::KernelTraceReport& trace) {
  if (trace.waits.empty()) return;
  const Table table(out, "Calls that waited for the device, most idle time that they cost first",
                    {"Caller", "Call", "Count", "Time", "Idle"}, "waits");
  const auto body = out.in("tbody");
  for (const run::WaitReport& wait : trace.waits) {
    const auto row = out.in("tr");
    out.element("th", {{"scope", "row"}},
                relative_paths(run::wait_text(wait), page.report.run.cwd));
    out.element("td", wait.api);
    out.element("td", {{"class", "num"}}, std::to_string(wait.count));
    number_cell(out, wait.time_ms, format_ms(wait.time_ms));
    const double idle_ms = wait.idle_ms.value_or(0);
    number_cell(out, idle_ms, format_ms(idle_ms));
  }
}

void kernel_table(Markup& out, const run::KernelsReport& kernels) {
  if (kernels.top.empty()) return;
  const Table table(out, "Kernels with the most time, by name, share of all kernels' time",
                    {"Kernel", "Class", "Count", "Time", "Share"}, "kernels");
  const auto body = out.in("tbody");
  std::vector<std::string_view> names;
  for (const run::KernelNameReport& kernel : kernels.top) names.emplace_back(kernel.name);
  const std::vector<std::string> shown = distinct_kernel_names(names);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const run::KernelNameReport& kernel = kernels.top[i];
    const auto row = out.in("tr");
    out.element("th", {{"scope", "row"}}, shown[i]);
    out.element("td", kernel.kernel_class);
    out.element("td", {{"class", "num"}}, std::to_string(kernel.count));
    number_cell(out, kernel.time_ms, format_ms(kernel.time_ms));
    const double share = kernel.time_ms / kernels.time_ms;
    number_cell(out, share, format_percent(share));
  }
}

std::string length_words(const run::KernelBucketReport& bucket) {
  if (!(bucket.from_us > 0)) return "under 1 us";
  return "from " + format_us(bucket.from_us);
}

void length_table(Markup& out, const run::KernelsReport& kernels) {
  if (kernels.lengths.empty() || kernels.count <= 0) return;
  const Table table(out, "How long kernels take, share of their number",
                    {"Length", "", "Share", "Count", "Time"}, "stages");
  const auto body = out.in("tbody");
  for (const run::KernelBucketReport& bucket : kernels.lengths) {
    const double share = static_cast<double>(bucket.count) / static_cast<double>(kernels.count);
    const auto row = out.in("tr");
    out.element("th", {{"scope", "row"}}, length_words(bucket));
    bar_cell(out, share);
    number_cell(out, share, format_percent(share));
    out.element("td", {{"class", "num"}}, std::to_string(bucket.count));
    number_cell(out, bucket.time_ms, format_ms(bucket.time_ms));
  }
}

// Empty where nothing is known.
void maybe_cell(Markup& out, const std::optional<double>& value, std::string (*shown)(double)) {
  if (!value) return out.element("td", {{"class", "num"}}, "");
  number_cell(out, *value, shown(*value));
}

void roofline_table(Markup& out, const run::RooflineReport& roofline) {
  if (roofline.classes.empty()) return;
  std::string caption = "Roofline: what each class of kernels achieves at least";
  if (roofline.peaks) caption += ", of the peaks of the " + roofline.peaks->source;
  const Table table(out, caption,
                    {"Class", "Time", "Shapes known", "TFLOP/s", "of peak", "Memory", "of peak",
                     "FLOPs a byte", "Roof", "", "of it"},
                    "kernels");
  const auto body = out.in("tbody");
  for (const run::RooflineClassReport& one : roofline.classes) {
    const auto row = out.in("tr");
    out.element("th", {{"scope", "row"}}, one.kernel_class);
    number_cell(out, one.time_ms, format_ms(one.time_ms));
    maybe_cell(out, one.known_share, format_percent);
    maybe_cell(out, one.tflops, format_number);
    maybe_cell(out, one.compute_share, format_percent);
    maybe_cell(out, one.gb_per_s, bandwidth_text);
    maybe_cell(out, one.bandwidth_share, format_percent);
    maybe_cell(out, one.flops_per_byte, format_number);
    out.element("td", one.bound);
    bar_cell(out, one.roof_share.value_or(0));  // of no length where it is not known
    maybe_cell(out, one.roof_share, format_percent);
  }
}

void limits(Markup& out, const run::KernelTraceReport& trace) {
  if (trace.roofline) {
    const std::string flops = flops_text(*trace.roofline);
    if (!flops.empty()) out.element("p", "FLOPs: " + flops + ", at least.");
    add_roofline_plot(out, *trace.roofline);
    roofline_table(out, *trace.roofline);
  }
  if (trace.memory) {
    out.element("p", "Memory of the framework's allocator: " + allocator_text(*trace.memory) + ".");
  }
}

void free_work_table(Markup& out, const run::KernelTraceReport& trace) {
  if (!trace.free_work || trace.free_work->saves.empty()) return;
  constexpr double kShownSaving = 0.005;
  auto saves = trace.free_work->saves;
  std::ranges::stable_sort(saves, std::ranges::greater(), &std::pair<std::string, double>::second);
  const Table table(out,
                    "What would be saved at most if work took no time, each for itself, share of " +
                        format_ms(trace.free_work->of_ms),
                    {"Work", "", "Share", "Time"}, "stages");
  const auto body = out.in("tbody");
  for (const auto& [work, share] : saves) {
    if (!(share >= kShownSaving)) continue;
    const auto row = out.in("tr");
    out.element("th", {{"scope", "row"}}, work);
    bar_cell(out, share);
    number_cell(out, share, format_percent(share));
    number_cell(out, share * trace.free_work->of_ms, format_ms(share * trace.free_work->of_ms));
  }
}

}  // namespace

void add_trace(Page& page, const run::KernelTraceReport& trace) {
  idle_table(page.out, trace);
  if (trace.launches) {
    page.out.element("p", "Launches: " + std::to_string(trace.launches->count) + ", " +
                              launches_text(*trace.launches) +
                              (trace.queue ? "; " + queue_text(*trace.queue) : "") + ".");
  }
  wait_table(page.out, page, trace);
  free_work_table(page.out, trace);
  kernel_table(page.out, trace.kernels);
  limits(page.out, trace);
  length_table(page.out, trace.kernels);
}

}  // namespace flatout::report::html
