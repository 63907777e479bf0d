// A folder of files as text, so that two states can be compared byte for byte.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace flatout::workspace {

// Everything below `dir` and itself: type, mode, owner, links, time of the last
// change of the content, extended attributes, content; not the time of the last access.
std::map<std::string, std::string> tree(const std::filesystem::path& dir);

// Modes, times, links of all kinds, names with odd characters, an attribute.
void make_odd_tree(const std::filesystem::path& dir);

// A folder of its own below /tmp, or below `root`; gone in the end whatever the modes.
class TemporaryDir {
 public:
  explicit TemporaryDir(const std::filesystem::path& root = "/tmp");
  ~TemporaryDir();
  TemporaryDir(const TemporaryDir&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

void write(const std::filesystem::path& path, const std::string& content);
std::string read(const std::filesystem::path& path);

}  // namespace flatout::workspace
