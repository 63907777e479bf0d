// What could not be seen, the environment, what flatout itself cost, and every
// figure of the JSON view.
#include <algorithm>

#include "report/html/parts.h"
#include "report/html/scale.h"
#include "report/quantity.h"

namespace flatout::report::html {
namespace {

constexpr int kFactDepth = 4;

struct Unseen {
  std::string what, why;
};

std::vector<Unseen> unseen_of(const Page& page) {
  std::vector<Unseen> out;
  const run::Report& report = page.report;
  if (!report.run.hooks_off.empty()) out.push_back({"inside the program", report.run.hooks_off});
  if (report.steps) {
    for (const auto& [phase, why] : report.steps->phases_unavailable) {
      out.push_back({"phase " + phase, why});
    }
  }
  for (const Json& device : page.figures["devices"]) {
    const auto unavailable = device.find("unavailable");
    if (unavailable == device.end() || !unavailable->is_object()) continue;
    for (const auto& item : unavailable->items()) {
      if (!item.value().is_string()) continue;
      out.push_back({"device " + device["index"].dump() + ": " + item.key(),
                     item.value().get<std::string>()});
    }
  }
  if (report.overhead.dropped > 0) {
    out.push_back({std::to_string(report.overhead.dropped) + " events",
                   "dropped, because a ring in shared memory was full"});
  }
  return out;
}

void environment_json(Markup& out, const std::string& name, const Json& value) {
  if (value.is_object()) {
    for (const auto& item : value.items()) {
      environment_json(out, name.empty() ? item.key() : name + " " + item.key(), item.value());
    }
    return;
  }
  const auto group = out.in("div");
  std::string words = name;
  std::ranges::replace(words, '_', ' ');
  out.element("dt", words);
  const auto description = out.in("dd");
  show(out, value, name.ends_with("_bytes") ? "bytes" : "");
}

void run_entries(Page& page) {
  const run::RunInfo& run = page.report.run;
  {
    const auto group = page.out.in("div", {{"class", "long"}});
    page.out.element("dt", "command");
    const auto description = page.out.in("dd");
    std::string line;
    for (const std::string& word : run.command) line += (line.empty() ? "" : " ") + word;
    page.out.element("code", line);
  }
  const auto add = [&page](std::string_view name, const std::string& text) {
    if (!text.empty()) entry(page.out, name, text);
  };
  add("folder", run.cwd);
  add("machine", run.host);
  add("CPU", run.cpu_model);
  if (run.cpus > 0) add("usable CPUs", std::to_string(run.cpus));
  if (run.memory_bytes > 0) {
    add("memory", format_bytes(static_cast<double>(run.memory_bytes)));
  }
  if (run.memory_limit_bytes > 0) {
    add("memory limit", format_bytes(static_cast<double>(run.memory_limit_bytes)));
  }
  add("sampled", format_number(run.rate_hz) + " times a second");
  add("flatout", run.flatout_version);
}

void flatten(Markup& out, const std::string& path, const Json& value) {
  if (value.is_structured() && !value.empty()) {
    for (const auto& item : value.items()) {
      const std::string& key = item.key();
      const std::string step = value.is_array() ? "[" + key + "]" : (path.empty() ? "" : ".") + key;
      flatten(out, path + step, item.value());
    }
    return;
  }
  const auto row = out.in("tr");
  out.element("th", {{"scope", "row"}}, path);
  const auto cell = out.in("td");
  if (value.is_number()) {
    out.element("data", {{"value", value.dump()}}, value.dump());
  } else {
    show(out, value, "");
  }
}

}  // namespace

void add_unseen(Page& page) {
  const std::vector<Unseen> unseen = unseen_of(page);
  if (unseen.empty() && page.report.verdict.ruled_out.empty()) return;
  const auto part = section(page.out, "limits", "Ruled out, and not seen");
  if (!page.report.verdict.ruled_out.empty()) {
    page.out.element("p", "Looked at and ruled out as the cause:");
    const auto list = page.out.in("ul");
    for (const std::string& cause : page.report.verdict.ruled_out) page.out.element("li", cause);
  }
  if (unseen.empty()) return;
  const Table table(page.out, "What could not be seen in this run", {"What", "Why"});
  const auto body = page.out.in("tbody");
  for (const Unseen& one : unseen) {
    const auto row = page.out.in("tr");
    page.out.element("th", {{"scope", "row"}}, one.what);
    page.out.element("td", one.why);
  }
}

void add_environment(Page& page) {
  const auto part = section(page.out, "environment", "Environment");
  const auto list = page.out.in("dl", {{"class", "facts"}});
  run_entries(page);
  for (const run::Fact& fact : page.charts.facts) {
    // The program wrote it: what is nested deeper than any fact is left out.
    const Json value = Json::parse(
        fact.json, [](int depth, Json::parse_event_t, Json&) { return depth < kFactDepth; },
        /*allow_exceptions=*/false);
    if (value.is_discarded()) continue;
    environment_json(page.out, fact.key == "environment" ? "" : fact.key, value);
  }
}

void add_overhead(Page& page) {
  const run::OverheadReport& overhead = page.report.overhead;
  const auto part = section(page.out, "overhead", "What flatout itself cost");
  const auto list = page.out.in("dl", {{"class", "facts"}});
  entry(page.out, "events recorded", static_cast<double>(overhead.events),
        std::to_string(overhead.events));
  entry(page.out, "events dropped", static_cast<double>(overhead.dropped),
        std::to_string(overhead.dropped));
  if (overhead.recorder_cpu_share) {
    entry(page.out, "recorder, of one core", *overhead.recorder_cpu_share,
          format_number(*overhead.recorder_cpu_share * 100) + " %");
  }
}

void add_figures(Markup& out, const Json& figures, std::string_view summary) {
  const auto part = section(out, "figures", "Every figure");
  const auto details = out.in("details");
  out.element("summary", summary);
  const Table table(out, "All values, by name", {"Name", "Value"});
  const auto body = out.in("tbody");
  flatten(out, "", figures);
}

}  // namespace flatout::report::html
