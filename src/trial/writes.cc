#include "trial/writes.h"

#include <sstream>
#include <system_error>

#include "base/file.h"

namespace flatout::trial {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFileBytesMax = 8 << 20;

void add(std::string& rules, char sign, const std::string& path) {
  if (!path.starts_with('/') || path == "/" || path.contains('\n')) return;
  rules += sign + path + "\n";
}

}  // namespace

launch::Environment write_environment(std::span<const std::string> env, const fs::path& file,
                                      const WriteRules& rules) {
  std::string text;
  for (const char* const made_up : {"/dev", "/proc", "/sys", "/run", "/tmp", "/var/tmp"}) {
    add(text, '-', made_up);
  }
  add(text, '-', std::string(launch::env_value(env, "TMPDIR").value_or("")));
  for (const fs::path& path : rules.unlisted) add(text, '-', path.native());
  for (const fs::path& path : rules.listed) add(text, '+', path.native());
  launch::Environment out = {"FLATOUT_TRIAL_WRITES=" + file.native(),
                             "FLATOUT_TRIAL_RULES=" + text};
  if (!rules.divert.empty()) out.push_back("FLATOUT_TRIAL_DIVERT=" + rules.divert.native());
  return out;
}

void OutsideWrites::take(const fs::path& file) {
  const auto text = base::read_file(file, kFileBytesMax);
  if (!text) return;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    const auto tab = line.find('\t');
    // A file cut off by the end of its process has no path to tell.
    const bool whole = tab != std::string::npos && tab + 1 < line.size() && line[tab + 1] == '/';
    const std::string path = whole ? line.substr(tab + 1) : "";
    if (whole && !path.contains("/__pycache__")) paths_.insert(path);
  }
  std::error_code ignored;  // told twice is as good
  fs::remove(file, ignored);
}

std::vector<std::string> OutsideWrites::paths() const { return {paths_.begin(), paths_.end()}; }

}  // namespace flatout::trial
