#include <algorithm>
#include <array>
#include <string>

#include "report/quantity.h"
#include "report/text.h"
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

std::string device_name(const run::Report& report) {
  for (const run::DeviceReport& device : report.devices) {
    if (!device.name.empty()) return short_device_name(device.name);
  }
  return short_device_name(report.run.cpu_model);
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
  while (name.size() > columns) {
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

// Where the line is too long, first the device gets shorter, then it goes, and then the program's
// name is cut. How many steps are warm-up is always said: the verdict does not rest on them.
std::string header_line(const run::Report& report) {
  constexpr std::size_t kLeastDevice = 6;
  const std::string name =
      report.run.name.empty() ? "" : " (" + shorten(to_ascii(report.run.name), 16) + ")";
  const std::string run = "flatout run " + shorten(to_ascii(report.run.id), 12) + name + ": ";
  const int cpus = report.host.cpus > 0 ? report.host.cpus : report.run.cpus;
  std::string steps = cpus > 0 ? ", " + std::to_string(cpus) + (cpus == 1 ? " CPU" : " CPUs") : "";
  steps += ", " + steps_text(report) + warm_up_text(report);
  const std::string program = to_ascii(program_name(report.run.command));
  const std::string device = to_ascii(device_name(report));
  const std::size_t used = run.size() + program.size() + 4 + steps.size();
  if (!device.empty() && used + std::min(kLeastDevice, device.size()) <= kTextColumns) {
    return run + program + " on " + last_words(device, kTextColumns - used) + steps;
  }
  const std::size_t without = std::min(kTextColumns - 6, run.size() + steps.size());
  return run + shorten(program, kTextColumns - without) + steps;
}

}  // namespace flatout::report
