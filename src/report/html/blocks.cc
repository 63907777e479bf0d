// Sections, tables, legends: what several parts are built of.
#include <algorithm>
#include <array>
#include <cmath>

#include "report/html/parts.h"
#include "report/html/scale.h"

namespace flatout::report::html {

Markup::Scope section(Markup& out, std::string_view id, std::string_view title) {
  out.line();
  out.open("section", {{"id", std::string(id)}, {"aria-labelledby", std::string(id) + "-h"}});
  out.element("h2", {{"id", std::string(id) + "-h"}}, title);
  return Markup::Scope(out);
}

Table::Table(Markup& out, std::string_view caption, std::initializer_list<std::string_view> columns,
             std::string_view css_class)
    : out_(out) {
  out_.open("div", {{"class", "scroll"},
                    {"tabindex", "0"},
                    {"role", "region"},
                    {"aria-label", std::string(caption)}});
  out_.open("table", {{"class", std::string(css_class)}});
  out_.element("caption", caption);
  const auto head = out_.in("thead");
  const auto row = out_.in("tr");
  for (const std::string_view column : columns) out_.element("th", {{"scope", "col"}}, column);
}

Table::~Table() {
  out_.close();
  out_.close();
}

void entry(Markup& out, std::string_view term, std::string_view text) {
  const auto group = out.in("div");
  out.element("dt", term);
  out.element("dd", text);
}

void entry(Markup& out, std::string_view term, double value, std::string_view shown) {
  const auto group = out.in("div");
  out.element("dt", term);
  const auto description = out.in("dd");
  out.number(value, shown);
}

void colour_key(Markup& out, const std::string& css_class, bool is_line) {
  const auto key =
      out.in("svg", {{"class", "key"}, {"width", "18"}, {"height", "12"}, {"aria-hidden", "true"}});
  if (is_line) {
    out.empty("path", {{"class", "line " + css_class}, {"d", "M0 6h18"}});
  } else {
    out.empty("rect", {{"class", css_class}, {"width", "18"}, {"height", "12"}});
  }
}

void legend(Markup& out, const std::vector<LegendItem>& items) {
  const auto list = out.in("ul", {{"class", "legend"}});
  for (const LegendItem& item : items) {
    const auto one = out.in("li");
    colour_key(out, item.css_class, item.is_line);
    out.text(" " + item.name);
    if (!item.figure.empty()) out.element("span", {{"class", "figure"}}, " " + item.figure);
  }
}

void share_bar(Markup& out, const std::string& css_class, double share) {
  const double shown = std::isfinite(share) ? std::min(std::max(share, 0.0), 1.0) : 0;
  const auto svg = out.in(
      "svg", {{"class", "share"}, {"width", "100%"}, {"height", "14"}, {"aria-hidden", "true"}});
  out.empty("rect", {{"class", css_class}, {"height", "14"}, {"width", exact(shown * 100) + "%"}});
}

std::string phase_class(std::string_view phase) { return "p-" + std::string(phase); }
std::string phase_class(run::Phase phase) { return phase_class(run::phase_name(phase)); }

bool phase_computes(run::Phase phase) {
  return phase == run::Phase::kForward || phase == run::Phase::kBackward ||
         phase == run::Phase::kOptimizer;
}

bool phase_waits(run::Phase phase) {
  return phase == run::Phase::kDataWait || phase == run::Phase::kH2d ||
         phase == run::Phase::kComm || phase == run::Phase::kSync;
}

// Level stripes: they stay stripes when a chart stretches with the page.
void add_stripes(Markup& out) {
  const auto svg =
      out.in("svg", {{"class", "defs"}, {"width", "0"}, {"height", "0"}, {"aria-hidden", "true"}});
  const auto defs = out.in("defs");
  for (std::size_t i = 0; i < run::kPhaseCount; ++i) {
    const auto phase = static_cast<run::Phase>(i);
    if (!phase_waits(phase)) continue;
    const std::string name(run::phase_name(phase));
    const auto pattern = out.in(
        "pattern",
        {{"id", "w-" + name}, {"width", "4"}, {"height", "4"}, {"patternUnits", "userSpaceOnUse"}});
    out.empty("rect", {{"class", "base-" + name}, {"width", "4"}, {"height", "4"}});
    out.empty("rect", {{"class", "stripe"}, {"width", "4"}, {"height", "1"}});
  }
  for (const char* const name : {"warm-up", "programs"}) {  // what is not of the training proper
    const auto pattern = out.in("pattern", {{"id", std::string("w-") + name},
                                            {"width", "4"},
                                            {"height", "6"},
                                            {"patternUnits", "userSpaceOnUse"}});
    out.empty("rect", {{"class", std::string("base-") + name}, {"width", "4"}, {"height", "6"}});
    out.empty("rect", {{"class", "stripe"}, {"width", "4"}, {"height", "3"}});
  }
}

bool drawable(const run::Charts& charts) {
  return std::isfinite(charts.duration_s) && charts.duration_s > 0;
}

std::string_view unit_words(std::string_view unit) {
  struct Word {
    std::string_view unit, words;
  };
  constexpr std::array<Word, 10> kWords = {{{"ratio", "share"},
                                            {"bytes", "bytes"},
                                            {"bytes_per_s", "bytes a second"},
                                            {"ms", "milliseconds"},
                                            {"s", "seconds"},
                                            {"watts", "watts"},
                                            {"celsius", "degrees Celsius"},
                                            {"megahertz", "megahertz"},
                                            {"per_s", "a second"},
                                            {"cores", "CPU cores"}}};
  const auto* const found = std::ranges::find(kWords, unit, &Word::unit);
  return found == kWords.end() ? unit : found->words;
}

std::string metric_words(std::string_view metric) {
  struct Word {
    std::string_view metric;
    std::string_view words;
  };
  constexpr std::array<Word, 27> kWords = {{
      {"device.utilization", "busy"},
      {"device.gpm.sm", "SM activity"},
      {"device.gpm.tensor", "tensor cores"},
      {"device.gpm.dram", "memory bandwidth"},
      {"device.memory.used", "memory in use"},
      {"device.allocator.allocated", "allocated to tensors"},
      {"device.allocator.reserved", "reserved"},
      {"device.allocator.allocated_peak", "most allocated so far"},
      {"device.power", "power"},
      {"device.temperature", "temperature"},
      {"device.clock.sm", "SM clock"},
      {"device.throttle.power", "by power"},
      {"device.throttle.thermal", "by temperature"},
      {"device.throttle.other", "by other causes"},
      {"device.pcie.received", "PCIe to the device"},
      {"device.others.utilization", "other processes"},
      {"host.cpu.cores_used", "cores in use, all programs"},
      {"cgroup.cpu.throttled", "throttled by the CPU quota"},
      {"cgroup.memory.used", "memory of the cgroup"},
      {"host.memory.available", "memory available"},
      {"host.disk.read", "read from disks"},
      {"host.network.received", "received from the network"},
      {"host.pressure.cpu.some", "tasks that waited for a CPU"},
      {"host.pressure.io.some", "tasks that waited for I/O"},
      {"host.pressure.memory.some", "tasks that waited for memory"},
      {"host.shm.used", "/dev/shm in use"},
      {"recorder.cpu.cores_used", "cores used by flatout"},
  }};
  const auto* const found = std::ranges::find(kWords, metric, &Word::metric);
  return std::string(found == kWords.end() ? metric : found->words);
}

KeyWords key_words(std::string_view key) {
  struct Suffix {
    std::string_view end, unit;
    bool drop;
  };
  constexpr std::array<Suffix, 12> kSuffixes = {{{"_bytes", "bytes", true},
                                                 {"_per_s", "per_s", true},
                                                 {"_ms", "ms", true},
                                                 {"_mhz", "megahertz", true},
                                                 {"_w", "watts", true},
                                                 {"_c", "celsius", true},
                                                 {"_s", "s", true},
                                                 {"_share", "ratio", false},
                                                 {"share", "ratio", false},
                                                 {"confidence", "ratio", false},
                                                 {"device_busy", "ratio", false},
                                                 {"duty", "ratio", false}}};
  KeyWords out{std::string(key), ""};
  for (const Suffix& suffix : kSuffixes) {
    if (!key.ends_with(suffix.end)) continue;
    out.unit = suffix.unit;
    if (suffix.drop) out.words.resize(key.size() - suffix.end.size());
    break;
  }
  std::ranges::replace(out.words, '_', ' ');
  return out;
}

void show(Markup& out, const Json& value, std::string_view unit) {
  if (value.is_number()) {
    const double number = value.get<double>();
    out.element("data", {{"value", value.dump()}}, quantity(number, unit));
  } else if (value.is_string()) {
    out.text(value.get_ref<const std::string&>());
  } else if (value.is_boolean()) {
    out.text(value.get<bool>() ? "yes" : "no");
  } else if (value.is_array() || value.is_object()) {
    bool first = true;
    for (const auto& item : value.items()) {
      if (!first) out.text(", ");
      first = false;
      if (value.is_object()) out.text(item.key() + " ");
      show(out, item.value(),
           value.is_object() && unit.empty() ? key_words(item.key()).unit : unit);
    }
    if (first) out.text("none");
  }
}

}  // namespace flatout::report::html
