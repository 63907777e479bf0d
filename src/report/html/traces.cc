// What a kernel trace says of a device: why it idled, and its kernels by time.
#include <algorithm>
#include <string>
#include <utility>

#include "report/html/parts.h"
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
  for (const run::KernelNameReport& kernel : kernels.top) {
    const auto row = out.in("tr");
    out.element("th", {{"scope", "row"}}, short_kernel_name(kernel.name));
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
                              launches_text(*trace.launches) + ".");
  }
  wait_table(page.out, page, trace);
  free_work_table(page.out, trace);
  kernel_table(page.out, trace.kernels);
  length_table(page.out, trace.kernels);
}

}  // namespace flatout::report::html
