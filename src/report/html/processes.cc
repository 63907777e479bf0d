#include <algorithm>
#include <cmath>

#include "report/html/parts.h"
#include "report/html/scale.h"
#include "report/quantity.h"

namespace flatout::report::html {
namespace {

std::string role_words(const run::Proc& proc) {
  std::string text(run::role_name(proc.role));
  if (proc.worker_id >= 0) text += " " + std::to_string(proc.worker_id);
  if (proc.rank >= 0) text += ", rank " + std::to_string(proc.rank);
  return text;
}

// From its birth to its end, on the run's time.
void life_bar(Page& page, const run::ProcessNode& node) {
  const double whole = page.charts.duration_s;
  if (!drawable(page.charts)) return;
  const auto place = [whole](double t_s) {
    return std::isfinite(t_s) ? std::clamp(t_s / whole, 0.0, 1.0) * 100 : 0.0;
  };
  const double from = place(node.start_s);
  const double to = place(node.end_s);
  const auto svg =
      page.out.in("svg", {{"width", "100%"}, {"height", "6"}, {"aria-hidden", "true"}});
  page.out.empty("rect", {{"class", "r-" + std::string(run::role_name(node.proc.role))},
                          {"x", exact(from) + "%"},
                          {"width", exact(std::max(0.3, to - from)) + "%"},
                          {"height", "6"}});
}

void add_node(Page& page, const run::ProcessNode& node) {
  const auto item = page.out.in("li");
  {
    const auto row = page.out.in("div", {{"class", "process"}});
    page.out.element("span", {{"class", "role"}}, role_words(node.proc));
    page.out.element("code", node.proc.command.empty() ? "?" : node.proc.command);
    {
      const auto figures = page.out.in("span", {{"class", "figure"}});
      page.out.text("pid " + std::to_string(node.proc.pid) + ", ");
      if (std::isfinite(node.cpu_seconds) && node.cpu_seconds > 0) {
        page.out.number(node.cpu_seconds, format_seconds(node.cpu_seconds) + " CPU");
      } else {
        page.out.text("CPU not sampled");
      }
      page.out.text(", lived " + format_seconds(std::max(0.0, node.end_s - node.start_s)));
    }
  }
  life_bar(page, node);
  if (node.children.empty() && node.left_out == 0) return;
  const auto list = page.out.in("ul");
  for (const run::ProcessNode& child : node.children) add_node(page, child);
  if (node.left_out > 0) {
    page.out.element("li", std::to_string(node.left_out) + " more, with " +
                               format_seconds(node.left_out_cpu_seconds) + " CPU together");
  }
}

}  // namespace

void add_processes(Page& page) {
  if (page.charts.processes.empty()) return;
  const auto part = section(page.out, "processes", "Processes");
  page.out.element("p", {{"class", "lead"}},
                   "Each with its CPU time; the bar is its life within the run.");
  const auto list = page.out.in("ul", {{"class", "tree"}});
  for (const run::ProcessNode& node : page.charts.processes) add_node(page, node);
}

}  // namespace flatout::report::html
