#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <vector>

#include "report/account_parts.h"
#include "report/quantity.h"
#include "report/text_parts.h"

namespace flatout::report {
namespace {

std::string basename_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

bool is_python(const std::string& name) { return name.starts_with("python"); }

void erase_all(std::string& text, std::string_view what) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what)) {
    text.erase(at, what.size());
  }
}

std::string warm_up_text(const run::Report& report) {
  if (!report.steps || report.steps->steady_count <= 0) return "";
  const std::int64_t warm_up = report.steps->count - report.steps->steady_count;
  return warm_up > 0 ? " (" + std::to_string(warm_up) + " warm-up)" : "";
}

std::string steps_text(const run::Report& report) {
  const bool live = report.state == run::RunState::kRunning;
  if (!report.steps || report.steps->count <= 0) {
    return "no steps" + std::string(live ? " so far, " : ", ") + format_seconds(report.duration_s);
  }
  const std::int64_t count = report.steps->count;
  return std::to_string(count) + (count == 1 ? " step" : " steps") + (live ? " so far" : "");
}

// The last words of a name tell devices apart: "Platinum 8481C".
std::string last_words(std::string name, std::size_t columns) {
  while (width_of(name) > columns) {
    const std::size_t space = name.find(' ');
    if (space == std::string::npos) return shorten(name, columns);
    name.erase(0, space + 1);
  }
  return name;
}

}  // namespace

std::string program_name(const std::vector<std::string>& command) {
  if (command.empty()) return "?";
  bool seen_python = false;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const std::string& word = command[i];
    if (word.ends_with(".py")) return basename_of(word);
    if (seen_python && word == "-m" && i + 1 < command.size()) return command[i + 1];
    if (seen_python && word == "-c") return basename_of(command[i - 1]) + " -c";
    seen_python = seen_python || is_python(basename_of(word));
  }
  return basename_of(command[0]);
}

std::string short_device_name(std::string_view name) {
  std::string text(name.substr(0, name.find(" @ ")));
  constexpr std::array<std::string_view, 7> kNoise = {"(R)",  "(TM)",       "(r)",    "(tm)",
                                                      " CPU", " Processor", "NVIDIA "};
  for (const std::string_view noise : kNoise) erase_all(text, noise);
  if (text.starts_with("Intel Xeon") || text.starts_with("Intel Core")) text.erase(0, 6);
  return text;
}

std::string device_name(const run::Report& report) {
  for (const run::DeviceReport& device : report.devices) {
    if (!device.name.empty()) return short_device_name(device.name);
  }
  return short_device_name(report.run.cpu_model);
}

// Where the line is too long, first the device gets shorter, then it goes, then the program's name
// is cut, and then it goes on in a second line. How many steps are warm-up, and how much of the run
// that was, is always said: the verdict does not rest on them.
std::vector<std::string> header_lines(const run::Report& report, const Style& style) {
  constexpr std::size_t kLeastDevice = 6;
  constexpr std::size_t kLeastProgram = 6;
  const std::size_t columns = std::max(style.columns, kFewestColumns);
  const std::string name =
      report.run.name.empty() ? "" : " (" + shorten(cleaned(report.run.name, style), 16) + ")";
  const std::string head = report.run.trace_file.empty()
                               ? "flatout run " + shorten(cleaned(report.run.id, style), 12)
                               : "flatout analyze";
  const std::string run = toned(Tone::kHeading, head) + name + ": ";
  const int cpus = report.host.cpus > 0 ? report.host.cpus : report.run.cpus;
  std::string steps = cpus > 0 ? ", " + std::to_string(cpus) + (cpus == 1 ? " CPU" : " CPUs") : "";
  steps += ", " + steps_text(report) + warm_up_text(report);
  const std::string program = cleaned(program_name(report.run.command), style);
  const std::string device = cleaned(device_name(report), style);
  const std::size_t around = width_of(run) + width_of(steps);
  const std::size_t used = around + width_of(program) + 4;
  std::string line = run;
  if (!device.empty() && used + std::min(kLeastDevice, width_of(device)) <= columns) {
    line += program + " on " + last_words(device, columns - used) + steps;
  } else {
    const std::size_t left = columns - std::min(columns, around);
    line += shorten(program, left < kLeastProgram ? columns - 4 : left) + steps;
  }
  std::vector<std::string> lines = wrap("", line, columns);
  const std::string basis = basis_text(report);
  if (!basis.empty()) std::ranges::move(wrap("", basis, columns), std::back_inserter(lines));
  return lines;
}

}  // namespace flatout::report
