#include "workspace/mounts.h"

#include <sys/stat.h>

#include <set>
#include <sstream>
#include <string>

#include "base/file.h"

namespace flatout::workspace {
namespace {

namespace fs = std::filesystem;

bool is_octal(char c) { return c >= '0' && c <= '7'; }

// Space, tab, newline and backslash are written as three octal digits.
std::string unescape(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && is_octal(text[i + 1]) && is_octal(text[i + 2]) &&
        is_octal(text[i + 3])) {
      out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                               (text[i + 3] - '0'));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace

fs::path relative_below(const fs::path& path, const fs::path& dir) {
  fs::path out = path.lexically_relative(dir);
  if (out.empty() || out == "." || *out.begin() == "..") return {};
  return out;
}

bool in_or_same(const fs::path& path, const fs::path& dir) {
  return path == dir || !relative_below(path, dir).empty();
}

std::vector<fs::path> mounts_below(const fs::path& dir, const fs::path& mountinfo) {
  std::set<fs::path> found;  // a parent sorts before what lies in it
  std::istringstream lines(base::read_file(mountinfo).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    for (int field = 1; field <= 5; ++field) words >> word;  // the fifth is the mount point
    const fs::path point = unescape(word);
    struct stat info{};
    if (words && !relative_below(point, dir).empty() && ::lstat(point.c_str(), &info) == 0) {
      found.insert(point);
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace flatout::workspace
