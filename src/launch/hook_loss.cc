#include "launch/hook_loss.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "base/file.h"
#include "launch/child.h"
#include "launch/python_flags.h"

namespace flatout::launch {
namespace {

using std::string_view;
namespace fs = std::filesystem;

using Argv = std::span<const std::string>;

// Enough for any environment that exec accepts (ARG_MAX is 6 MiB at most).
constexpr std::size_t kProcFileLimit = 8U << 20;

string_view base_name(string_view path) {
  const auto slash = path.rfind('/');
  return slash == string_view::npos ? path : path.substr(slash + 1);
}

HookLoss launcher(std::string line) { return {LossKind::kLauncher, 0, std::move(line)}; }

bool is_assignment(string_view word) {
  const auto sign = word.find('=');
  return sign != string_view::npos && sign > 0 && word[0] != '-';
}

// A program that runs the rest of its line as a command: its options that take a
// value in the next argument, and how many operands come before the command.
struct Wrapper {
  string_view name;
  string_view valued;  // short letters, then long names, separated by blanks
  int operands;
};
constexpr Wrapper kWrappers[] = {
    {"nohup", "", 0},
    {"setsid", "", 0},
    {"nice", "-n --adjustment", 0},
    {"ionice", "-c -n --class --classdata", 0},
    {"time", "-f -o --format --output", 0},
    {"timeout", "-s -k --signal --kill-after", 1},
    {"stdbuf", "-i -o -e --input --output --error", 0},
    {"taskset", "", 1},
    {"numactl", "-C -N -m -i -p --physcpubind --cpunodebind --membind --interleave --preferred", 0},
    {"catchsegv", "", 0},
};

bool takes_value(string_view valued, string_view option) {
  while (!valued.empty()) {
    const auto word = valued.substr(0, valued.find(' '));
    if (word == option) return true;
    valued.remove_prefix(std::min(word.size() + 1, valued.size()));
  }
  return false;
}

// What follows the wrapper; empty when there is nothing.
Argv unwrap(Argv argv, const Wrapper& wrapper) {
  std::size_t i = 1;
  for (; i < argv.size() && argv[i].starts_with('-') && argv[i].size() > 1; ++i) {
    if (argv[i] == "--") {
      ++i;
      break;
    }
    if (takes_value(wrapper.valued, argv[i])) ++i;
  }
  return argv.subspan(std::min(i + static_cast<std::size_t>(wrapper.operands), argv.size()));
}

// env(1): what it does to our variables, and the command behind it.
struct EnvCommand {
  std::optional<HookLoss> loss;
  Argv rest;
};

EnvCommand read_env_command(Argv argv) {
  const std::string how =
      "; give it PYTHONPATH and FLATOUT_* too, or put flatout behind it: env ... flatout run -- "
      "CMD";
  EnvCommand out;
  std::size_t i = 1;
  for (; i < argv.size(); ++i) {
    const string_view word = argv[i];
    const bool unset = word == "-u" || word == "--unset";
    if (word == "-i" || word == "-" || word == "--ignore-environment" ||
        (word.starts_with("-i") && !word.starts_with("--"))) {
      out.loss =
          launcher("env -i empties the environment, so the hooks do not reach the program" + how);
    } else if (unset || word == "-C" || word == "--chdir") {
      ++i;
      if (unset && i < argv.size() && argv[i] == "PYTHONPATH") {
        out.loss = launcher("env -u PYTHONPATH removes the way to the hooks" + how);
      }
    } else if (word == "-uPYTHONPATH" || word == "--unset=PYTHONPATH") {
      out.loss = launcher("env -u PYTHONPATH removes the way to the hooks" + how);
    } else if (word.starts_with("PYTHONPATH=")) {
      out.loss = launcher(
          "env PYTHONPATH=... replaces the way to the hooks; set it before flatout instead: "
          "PYTHONPATH=... flatout run -- CMD");
    } else if (!word.starts_with('-') && !is_assignment(word)) {
      break;
    }
  }
  out.rest = argv.subspan(std::min(i, argv.size()));
  return out;
}

// --name=value or --name value, or the short form; nothing when not given.
std::optional<string_view> option(Argv argv, string_view name, string_view letter) {
  for (std::size_t i = 1; i < argv.size(); ++i) {
    const string_view word = argv[i];
    const bool next = i + 1 < argv.size();
    if ((word == name || word == letter) && next) return string_view(argv[i + 1]);
    if (word.size() > name.size() && word.starts_with(name) && word[name.size()] == '=') {
      return word.substr(name.size() + 1);
    }
    if (!letter.empty() && word.size() > 2 && word.starts_with(letter)) return word.substr(2);
  }
  return std::nullopt;
}

int leading_number(std::optional<string_view> text) {
  int out = 0;
  if (text) std::from_chars(text->data(), text->data() + text->size(), out);
  return out;
}

// srun carries the environment to where it starts the tasks, but the rings are
// shared memory of this machine.
std::optional<HookLoss> srun_loss(Argv argv, std::span<const std::string> env) {
  const std::string how = "; put flatout behind it: srun ... flatout run -- CMD";
  const auto exported = option(argv, "--export", "");
  if (exported && !exported->contains("ALL") && !exported->contains("PYTHONPATH")) {
    return launcher("srun --export does not pass the hooks on" + how);
  }
  const bool nodes_given = option(argv, "--nodes", "-N").has_value();
  const int nodes = nodes_given ? leading_number(option(argv, "--nodes", "-N"))
                                : leading_number(env_value(env, "SLURM_JOB_NUM_NODES"));
  if (nodes > 1)
    return launcher("srun starts tasks on other machines, whose rings flatout cannot read" + how);
  // On a login node there is no daemon of Slurm's, so the task goes elsewhere.
  if (!env_value(env, "SLURMD_NODENAME")) {
    return launcher("srun starts the program on another machine, whose rings flatout cannot read" +
                    how);
  }
  return std::nullopt;
}

bool has_subcommand(Argv argv, std::initializer_list<string_view> names) {
  return std::ranges::any_of(argv.subspan(1), [&](const std::string& word) {
    return std::ranges::find(names, string_view(word)) != names.end();
  });
}

std::optional<HookLoss> launcher_loss(Argv argv, std::span<const std::string> env) {
  const string_view name = base_name(argv[0]);
  const std::string who(name);
  if (name == "sudo" || name == "doas" || name == "su" || name == "runuser") {
    const auto kept = option(argv, "--preserve-env", "");
    if (name == "sudo" && kept && kept->contains("PYTHONPATH") &&
        kept->contains("FLATOUT_RING_DIR")) {
      return std::nullopt;
    }
    return launcher(who +
                    " starts the program without flatout's environment, so without hooks; put "
                    "flatout behind it: " +
                    who + " ... flatout run -- CMD");
  }
  if (name == "docker" || name == "podman" || name == "nerdctl" || name == "docker-compose") {
    if (!has_subcommand(argv, {"run", "exec", "start", "create", "up"})) return std::nullopt;
    return launcher("a container does not see the hooks or the rings; run flatout inside it: " +
                    who + " run ... flatout run -- CMD");
  }
  if (name == "kubectl" && has_subcommand(argv, {"run", "exec"})) {
    return launcher(
        "a container does not see the hooks or the rings; run flatout inside it: kubectl ... "
        "flatout run -- CMD");
  }
  if ((name == "apptainer" || name == "singularity") &&
      has_subcommand(argv, {"-e", "--cleanenv", "-C", "--containall", "-c", "--contain"})) {
    return launcher(who +
                    " with a clean environment or its own /tmp and /dev does not see the hooks; "
                    "run flatout inside it: " +
                    who + " ... flatout run -- CMD");
  }
  if (name == "ssh") {
    return launcher(
        "ssh starts the program on another machine; run flatout there: ssh HOST flatout run -- "
        "CMD");
  }
  if (name == "srun") return srun_loss(argv, env);
  return std::nullopt;
}

std::optional<HookLoss> flag_loss(Argv argv) {
  const char flag = hook_killing_flag(argv);
  if (flag == 0) return std::nullopt;
  const std::string name(base_name(argv[0]));
  const char* why = flag == 'S' ? " does not import sitecustomize" : " ignores PYTHONPATH";
  return HookLoss{LossKind::kPythonFlag, 0,
                  name + " -" + flag + why + ", so there are no hooks; run it without -" + flag +
                      ", or keep to what can be seen from outside"};
}

bool path_names(std::span<const std::string> env, string_view site) {
  string_view rest = env_value(env, "PYTHONPATH").value_or("");
  while (!rest.empty()) {
    const auto part = rest.substr(0, rest.find(':'));
    if (part == site) return true;
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  }
  return false;
}

// A /proc file of strings that end with 0 each.
std::vector<std::string> read_strings(const fs::path& path) {
  std::vector<std::string> out;
  const auto text = base::read_file(path, kProcFileLimit);
  if (!text) return out;
  string_view rest = *text;
  while (!rest.empty()) {
    const auto part = rest.substr(0, rest.find('\0'));
    out.emplace_back(part);
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
  }
  return out;
}

}  // namespace

std::optional<HookLoss> hook_loss_in_command(Argv argv, std::span<const std::string> env) {
  while (!argv.empty()) {
    const string_view name = base_name(argv[0]);
    if (name == "env") {
      EnvCommand command = read_env_command(argv);
      if (command.loss) return command.loss;
      argv = command.rest;
      continue;
    }
    const auto* const wrapper = std::ranges::find(kWrappers, name, &Wrapper::name);
    if (wrapper != std::end(kWrappers)) {
      argv = unwrap(argv, *wrapper);
      continue;
    }
    if (is_python(name)) return flag_loss(argv);
    return launcher_loss(argv, env);
  }
  return std::nullopt;
}

std::optional<HookLoss> hook_loss_in_process(pid_t pid, string_view exe, Argv argv,
                                             std::span<const std::string> env,
                                             const fs::path& site_dir) {
  if (argv.empty()) return std::nullopt;
  std::optional<HookLoss> out;
  if (is_python(exe)) {
    out = flag_loss(argv);
    // An environment that could not be read, or that the process has written its
    // title over (setproctitle), shows nothing.
    const bool readable = !env.empty() && is_assignment(env.front());
    if (!out && readable && !path_names(env, site_dir.native())) {
      out = HookLoss{
          LossKind::kEnvironment, 0,
          std::string(exe) +
              " was started with a PYTHONPATH that flatout's hooks are not in (conda activate, "
              "a scrubbed environment); put flatout right before it: flatout run -- " +
              std::string(exe) + " ARGS"};
    }
  } else {
    out = launcher_loss(argv, env);
  }
  if (out) out->pid = pid;
  return out;
}

std::vector<HookLoss> hook_losses_in_tree(pid_t root, const fs::path& site_dir,
                                          const fs::path& proc) {
  std::vector<HookLoss> out;
  std::vector<pid_t> pids = descendants(root, proc);
  pids.insert(pids.begin(), root);
  for (const pid_t pid : pids) {
    const fs::path dir = proc / std::to_string(pid);
    const auto argv = read_strings(dir / "cmdline");
    std::error_code err;
    const fs::path exe = fs::read_symlink(dir / "exe", err);
    const std::string name(err ? base_name(argv.empty() ? "" : argv[0]) : base_name(exe.native()));
    const auto loss =
        hook_loss_in_process(pid, name, argv, read_strings(dir / "environ"), site_dir);
    const bool known = loss && std::ranges::any_of(out, [&](const HookLoss& other) {
                         return other.kind == loss->kind && other.line == loss->line;
                       });
    if (loss && !known) out.push_back(*loss);
  }
  return out;
}

}  // namespace flatout::launch
