// What a kernel trace says of a device: why it idled, and its kernels by time.
#include <string>

#include "report/html/parts.h"
#include "report/quantity.h"
#include "report/text_parts.h"

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

}  // namespace

void add_trace(Page& page, const run::KernelTraceReport& trace) {
  idle_table(page.out, trace);
  kernel_table(page.out, trace.kernels);
}

}  // namespace flatout::report::html
