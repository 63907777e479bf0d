#include "base/process.h"

#include <charconv>
#include <string_view>

#include "base/file.h"

namespace flatout::base {
namespace {

// The fields after the command name, which may itself hold spaces and ')'.
std::string_view after_command(std::string_view stat) {
  const auto close = stat.rfind(')');
  return close == std::string_view::npos ? std::string_view{} : stat.substr(close + 1);
}

// Field `index` of `fields`, counted from 0, separated by single spaces.
std::string_view field(std::string_view fields, int index) {
  while (!fields.empty() && fields.front() == ' ') fields.remove_prefix(1);
  for (; index > 0; --index) {
    const auto space = fields.find(' ');
    if (space == std::string_view::npos) return {};
    fields.remove_prefix(space + 1);
  }
  return fields.substr(0, fields.find(' '));
}

Result<std::string> read_stat(pid_t pid, const std::filesystem::path& proc) {
  return read_file(proc / std::to_string(pid) / "stat", 4096);
}

}  // namespace

Result<ProcessId> process_id(pid_t pid, const std::filesystem::path& proc) {
  const auto stat = read_stat(pid, proc);
  if (!stat) return std::unexpected(stat.error());
  // Field 22 of the whole line is field 19 after "pid (comm)" (proc(5)).
  const auto text = field(after_command(*stat), 19);
  ProcessId id{.pid = pid};
  const auto [end, err] = std::from_chars(text.data(), text.data() + text.size(), id.start_ticks);
  if (err != std::errc{}) {
    return fail(ErrorCode::kCorrupt, "cannot parse /proc/" + std::to_string(pid) + "/stat");
  }
  return id;
}

bool process_alive(const ProcessId& id, const std::filesystem::path& proc) {
  const auto stat = read_stat(id.pid, proc);
  if (!stat) return false;
  const auto state = field(after_command(*stat), 0);
  if (state == "Z" || state == "X") return false;
  const auto now = process_id(id.pid, proc);
  return now && *now == id;
}

std::string boot_id(const std::filesystem::path& proc) {
  auto text = read_file(proc / "sys/kernel/random/boot_id", 256);
  if (!text) return {};
  while (!text->empty() && text->back() == '\n') text->pop_back();
  return *text;
}

}  // namespace flatout::base
