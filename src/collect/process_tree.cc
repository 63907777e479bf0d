#include "collect/process_tree.h"

#include <algorithm>
#include <system_error>

#include "host/text_fields.h"
#include "host/text_file.h"

namespace flatout::collect {
namespace {

constexpr base::DurationNs kWideInterval = base::kSecond;
constexpr double kWideBudgetCores = kSourceBudgetCores / 2;
// A process may execute another program soon after it was forked.
constexpr base::DurationNs kYoung = base::kSecond;
constexpr std::size_t kMaxCommandBytes = 1024;
constexpr std::size_t kMaxProcesses = 16'384;

// A main thread that ended while others run is shown as a zombie as well.
bool has_ended(const ProcStat& stat) {
  return stat.state == 'X' || stat.state == 'x' || (stat.state == 'Z' && stat.threads <= 1);
}

std::optional<ProcStat> read_stat(const std::filesystem::path& proc, pid_t pid) {
  const auto text = host::read_text(host::pid_file(proc, pid, "stat"));
  return text ? parse_proc_stat(*text) : std::nullopt;
}

// Every name in `dir` that is a number.
std::vector<pid_t> numbers_in(const std::filesystem::path& dir) {
  std::vector<pid_t> numbers;
  std::error_code error;
  std::filesystem::directory_iterator it(dir, error);
  for (; !error && it != std::filesystem::directory_iterator(); it.increment(error)) {
    if (const auto number = host::parse_number<pid_t>(it->path().filename().native())) {
      numbers.push_back(*number);
    }
  }
  return numbers;
}

void append_children(std::string_view text, std::vector<pid_t>& out) {
  // The kernel ends each number with a blank; one without was cut.
  text = text.substr(0, text.rfind(' ') + 1);
  while (!text.empty()) {
    if (const auto pid = host::next_number<pid_t>(text); pid && *pid > 0) out.push_back(*pid);
  }
}

// One line of at most kMaxCommandBytes, not cut within a UTF-8 character.
std::string one_line(const std::vector<std::string>& argv) {
  std::string line;
  for (const auto& argument : argv) {
    if (!line.empty()) line += ' ';
    line += argument;
  }
  if (line.size() > kMaxCommandBytes) {
    std::size_t end = kMaxCommandBytes;
    while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) --end;
    line.resize(end);
  }
  std::ranges::replace_if(
      line, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
  return line;
}

std::vector<std::string> split_argv(std::string_view text) {
  std::vector<std::string> argv;
  while (!text.empty()) {
    const auto end = text.find('\0');
    argv.emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return argv;
}

}  // namespace

ProcessTree::ProcessTree(host::Paths paths, ProcessTreeOptions options)
    : paths_(std::move(paths)), options_(std::move(options)) {
  const auto main_thread = "task/" + std::to_string(options_.recorder) + "/children";
  has_children_files_ =
      host::read_text(host::pid_file(paths_.proc, options_.recorder, main_thread)).has_value();
}

run::ProcessChanges ProcessTree::update(base::TimeNs now, bool force) {
  run::ProcessChanges changes;
  if (!budget_.due() && !force) return changes;
  const std::int64_t before = options_.cpu();
  const bool wide = force || now >= next_wide_look_ns_;
  refresh(now, changes);
  if (options_.program > 0 && entries_.empty()) add(options_.program, now, changes);
  if (has_children_files_) {
    descend(now, wide, changes);
  } else if (wide) {
    scan(now, changes);
  }
  const std::int64_t cost = options_.cpu() - before;
  if (wide) {
    const auto pause = static_cast<base::DurationNs>(static_cast<double>(cost) / kWideBudgetCores);
    next_wide_look_ns_ = now + std::max(kWideInterval, pause);
  }
  budget_.spent(now, cost);
  return changes;
}

std::vector<std::string> ProcessTree::take_notes() {
  if (budget_.take_slowed()) {
    notes_.emplace_back(
        "following the run's processes took more than 0.5 % of a core; it is done less often");
  }
  return std::exchange(notes_, {});
}

// Looks again at those that are known.
void ProcessTree::refresh(base::TimeNs now, run::ProcessChanges& changes) {
  for (auto it = entries_.begin(); it != entries_.end();) {
    Entry& entry = it->second;
    auto stat = read_stat(paths_.proc, it->first);
    if (!stat || stat->start_ticks != entry.seen.id.start_ticks || has_ended(*stat)) {
      changes.gone.push_back(entry.seen.id);
      it = entries_.erase(it);
      continue;
    }
    if (stat->command != entry.stat.command || now - entry.seen.first_seen_ns < kYoung) {
      if (auto line = command(it->first, *stat); line != entry.seen.command) {
        entry.seen.command = std::move(line);
        changes.changed.push_back(entry.seen);
      }
    }
    if (!entry.late.leave_out(now)) {
      entry.stat = std::move(*stat);
      entry.stat_ns = now;
    }
    ++it;
  }
}

void ProcessTree::descend(base::TimeNs now, bool wide, run::ProcessChanges& changes) {
  // Those that are known are looked at themselves: what a thread other than
  // the main one started cannot be reached from the root at each look.
  std::vector<pid_t> parents = {options_.recorder};
  for (const auto& [pid, entry] : entries_) parents.push_back(pid);
  for (std::size_t i = 0; i < parents.size(); ++i) {
    for (const pid_t child : children(parents[i], wide || i == 0)) {
      if (!entries_.contains(child) && add(child, now, changes)) parents.push_back(child);
    }
  }
}

void ProcessTree::scan(base::TimeNs now, run::ProcessChanges& changes) {
  std::map<pid_t, pid_t> parents;
  for (const pid_t pid : numbers_in(paths_.proc)) {
    if (entries_.contains(pid)) continue;
    if (const auto stat = read_stat(paths_.proc, pid)) parents.emplace(pid, stat->parent);
  }
  for (const auto& [pid, parent] : parents) {
    if (is_ours(pid, parents)) add(pid, now, changes);
  }
}

// Whether the way up from `pid` leads to the recorder or to a process of the run.
bool ProcessTree::is_ours(pid_t pid, const std::map<pid_t, pid_t>& parents) const {
  for (std::size_t steps = 0; steps <= parents.size(); ++steps) {
    if (options_.exclude.contains(pid) || pid == options_.recorder) return false;
    const auto found = parents.find(pid);
    if (found == parents.end()) return false;
    pid = found->second;
    if (pid == options_.recorder || entries_.contains(pid)) return true;
  }
  return false;
}

bool ProcessTree::add(pid_t pid, base::TimeNs now, run::ProcessChanges& changes) {
  if (pid == options_.recorder || options_.exclude.contains(pid)) return false;
  if (entries_.size() >= kMaxProcesses) {
    if (!too_many_) {
      notes_.push_back("the run has more than " + std::to_string(kMaxProcesses) +
                       " processes; the others are not followed");
    }
    too_many_ = true;
    return false;
  }
  auto stat = read_stat(paths_.proc, pid);
  if (!stat || has_ended(*stat)) return false;
  Entry entry{.seen = {.id = {.pid = pid, .start_ticks = stat->start_ticks},
                       .parent = stat->parent,
                       .first_seen_ns = now,
                       .command = command(pid, *stat)},
              .stat = std::move(*stat),
              .stat_ns = now,
              .late = LateReads(options_.clock)};
  changes.appeared.push_back(entry.seen);
  entries_.insert_or_assign(pid, std::move(entry));
  return true;
}

std::vector<pid_t> ProcessTree::children(pid_t pid, bool all_threads) const {
  std::vector<pid_t> found;
  const auto read_thread = [&](pid_t tid) {
    const auto file = "task/" + std::to_string(tid) + "/children";
    if (const auto text = host::read_text(host::pid_file(paths_.proc, pid, file)))
      append_children(*text, found);
  };
  if (!all_threads) {
    read_thread(pid);
    return found;
  }
  for (const pid_t tid : numbers_in(host::pid_file(paths_.proc, pid, "task"))) read_thread(tid);
  return found;
}

std::string ProcessTree::command(pid_t pid, const ProcStat& stat) const {
  const auto text = host::read_text(host::pid_file(paths_.proc, pid, "cmdline"));
  if (!text || text->empty()) return "[" + stat.command + "]";
  auto argv = split_argv(*text);
  if (options_.mask) argv = options_.mask(std::move(argv));
  return one_line(argv);
}

}  // namespace flatout::collect
