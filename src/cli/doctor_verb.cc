// What can be measured here, and why not the rest. Each check is one line: a
// mark, what was looked at, what was found and, where it is missing, what that
// costs and what to do.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "app/stored_runs.h"
#include "base/file.h"
#include "cli/answer.h"
#include "cli/doctor.h"
#include "cli/verbs.h"
#include "collect/limits.h"
#include "collect/procfs/pressure_source.h"
#include "host/cpus.h"
#include "launch/installation.h"
#include "launch/plan.h"
#include "launch/ring_dir.h"
#include "launch/ring_memory.h"
#include "report/quantity.h"

namespace flatout::cli {
namespace {

namespace fs = std::filesystem;

Check check_cpus(const collect::Limits& limits) {
  std::string text = std::to_string(limits.cpus) + " usable";
  if (!limits.cpu_model.empty()) text += ", " + limits.cpu_model;
  text += limits.cpu_quota ? ", cgroup quota " + report::format_number(*limits.cpu_quota) + " CPUs"
                           : ", no cgroup quota";
  return {Mark::kOk, "CPUs", text};
}

Check check_memory(const collect::Limits& limits) {
  if (!limits.memory_bytes) return {Mark::kMissing, "memory", "/proc/meminfo cannot be read"};
  std::string text = report::format_bytes(static_cast<double>(*limits.memory_bytes));
  text += limits.memory_limit_bytes
              ? ", cgroup limit " +
                    report::format_bytes(static_cast<double>(*limits.memory_limit_bytes))
              : ", no cgroup limit";
  return {Mark::kOk, "memory", text};
}

Check check_pressure() {
  if (collect::has_pressure({})) {
    return {Mark::kOk, "PSI", "the kernel reports how long tasks wait for memory, I/O and CPUs"};
  }
  return {Mark::kMissing, "PSI",
          "the kernel keeps no pressure (boot it with psi=1); stalls for memory are not seen"};
}

// Takes and gives back a ring directory, exactly as `run` does.
Check check_rings() {
  const auto env = launch::current_environment();
  const bool segments = !launch::ring_ipc(env).empty();
  const auto dir =
      launch::create_ring_dir("doctor" + std::to_string(::getpid()), launch::ring_roots(env),
                              segments ? launch::RingKind::kSegment : launch::RingKind::kFile);
  if (!dir) return {Mark::kBroken, "rings", dir.error().message};
  const std::string root = dir->parent_path();
  if (const auto done = launch::remove_ring_dir(*dir); !done) {
    return {Mark::kBroken, "rings", done.error().message};
  }
  return {Mark::kOk, "rings",
          (segments ? "shared memory segments for the hooks, listed in "
                    : "shared memory for the hooks in ") +
              root};
}

Check check_home(const std::string& option) {
  const auto home = app::open_home(option);
  if (!home) return {Mark::kBroken, "home", home.error().message};
  const std::string root = home->root();
  if (const auto made = base::make_private_dirs(home->runs()); !made) {
    return {Mark::kBroken, "home", made.error().message + "; use --home DIR or FLATOUT_HOME"};
  }
  if (::access(home->runs().c_str(), W_OK | X_OK) != 0) {
    return {Mark::kBroken, "home", root + " is not writable; use --home DIR or FLATOUT_HOME"};
  }
  std::error_code unknown;
  const auto space = fs::space(home->runs(), unknown);
  return {Mark::kOk, "home",
          root + (unknown ? ""
                          : ", " + report::format_bytes(static_cast<double>(space.available)) +
                                " free")};
}

// What `script` prints in the Python on PATH; "" where that fails.
std::string ask_python(const std::string& script) {
  const std::string command = "exec python3 -c '" + script + "' 2>/dev/null";
  FILE* pipe = ::popen(command.c_str(), "re");
  if (pipe == nullptr) return "";
  std::string text;
  std::array<char, 512> buffer{};
  while (std::fgets(buffer.data(), buffer.size(), pipe) != nullptr) text += buffer.data();
  const bool well = ::pclose(pipe) == 0;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return well ? text : "";
}

// Without importing torch, which takes seconds.
Check check_python() {
  const std::string python =
      ask_python("import sys; print(sys.executable, sys.version.split()[0])");
  if (python.empty()) {
    return {Mark::kMissing, "python", "no python3 on PATH; steps need the Python that trains"};
  }
  const std::string torch =
      ask_python("import importlib.metadata as m; print(m.version(\"torch\"))");
  if (torch.empty()) {
    return {Mark::kMissing, "python",
            python + ", without torch; steps are seen in a Python that has it"};
  }
  return {Mark::kOk, "python", python + ", torch " + torch};
}

std::vector<Check> check_hooks() {
  const auto site = launch::find_site_dir();
  if (!site) return {{Mark::kBroken, "hooks", site.error().message}};
  const fs::path native = site->parent_path() / "_native.abi3.so";
  if (native.string().find_first_of("'\"\\") != std::string::npos) {
    return {{Mark::kOk, "hooks", native.string()}};
  }
  const std::string loaded =
      ask_python("import importlib.util as u; s = u.spec_from_file_location(\"_native\", \"" +
                 native.string() +
                 "\"); m = u.module_from_spec(s); s.loader.exec_module(m); print(\"loads\")");
  if (loaded.empty() && !ask_python("print(1)").empty()) {
    return {{Mark::kBroken, "hooks", native.string() + " does not load into the python3 on PATH"}};
  }
  return {{Mark::kOk, "hooks", native.string() + (loaded.empty() ? "" : ", loads")}};
}

Check check_attach() { return {Mark::kOk, "rights", "no root, no ptrace and no daemon needed"}; }

std::vector<Check> all_checks(const DoctorOptions& options) {
  const collect::Limits limits = collect::read_limits({}, host::affinity_cpus());
  std::vector<Check> checks = {check_cpus(limits), check_memory(limits), check_pressure(),
                               check_home(options.home), check_rings()};
  for (Check& check : check_hooks()) checks.push_back(std::move(check));
  checks.push_back(check_python());
  for (Check& check : check_devices()) checks.push_back(std::move(check));
  checks.push_back(check_attach());
  return checks;
}

}  // namespace

int doctor_verb(const DoctorOptions& options) {
  const std::vector<Check> checks = all_checks(options);
  const bool well =
      std::ranges::none_of(checks, [](const Check& one) { return one.mark == Mark::kBroken; });
  const int status = options.format == Format::kJson
                         ? answer(doctor_json(checks))
                         : answer_styled(doctor_text(checks, table_style(1)));
  return status != 0 || !well ? 1 : 0;
}

}  // namespace flatout::cli
