#include "workspace/tree_for_test.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "base/file.h"
#include "workspace/scratch.h"

namespace flatout::workspace {
namespace {

namespace fs = std::filesystem;

std::string attributes(const fs::path& path) {
  std::string names(4096, '\0');
  const ssize_t size = ::llistxattr(path.c_str(), names.data(), names.size());
  names.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  std::string out;
  std::istringstream list(names);
  for (std::string name; std::getline(list, name, '\0');) {
    std::string value(256, '\0');
    const ssize_t n = ::lgetxattr(path.c_str(), name.c_str(), value.data(), value.size());
    value.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    out += " " + name + "=" + value;
  }
  return out;
}

std::string describe(const fs::path& path) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0) return "gone";
  std::ostringstream out;
  out << std::oct << info.st_mode << std::dec << " " << info.st_uid << ":" << info.st_gid << " x"
      << info.st_nlink << " " << info.st_mtim.tv_sec << "." << info.st_mtim.tv_nsec
      << attributes(path);
  if (S_ISLNK(info.st_mode)) out << " -> " << fs::read_symlink(path).string();
  if (S_ISREG(info.st_mode)) out << " " << base::read_file(path).value_or("unreadable");
  return out.str();
}

}  // namespace

std::map<std::string, std::string> tree(const fs::path& dir) {
  std::map<std::string, std::string> out = {{".", describe(dir)}};
  std::error_code err;
  const auto skip = fs::directory_options::skip_permission_denied;
  for (const auto& entry : fs::recursive_directory_iterator(dir, skip, err)) {
    out[entry.path().lexically_relative(dir).string()] = describe(entry.path());
  }
  return out;
}

void make_odd_tree(const fs::path& dir) {
  fs::create_directories(dir / "data/deep/er");
  fs::create_directories(dir / "out");
  fs::create_directories(dir / "closed");
  write(dir / "train.sh", "#!/bin/sh\necho trained\n");
  write(dir / "data/a, b:c=d\\e", "odd");
  write(dir / "data/deep/er/x", std::string(100'000, 'x'));
  write(dir / "out/log", "before\n");
  write(dir / "closed/file", "closed");
  write(dir / "empty", "");
  fs::create_symlink("data/deep", dir / "inner");
  fs::create_symlink("../neighbour/file", dir / "outer");
  fs::create_symlink(dir / "out", dir / "absolute");
  fs::create_symlink("nowhere", dir / "dangling");
  fs::create_hard_link(dir / "empty", dir / "hard");
  EXPECT_EQ(::mkfifo((dir / "fifo").c_str(), 0600), 0);
  ::setxattr((dir / "empty").c_str(), "user.note", "kept", 4, 0);  // where there are any
  const timespec times[] = {{.tv_sec = 1'600'000'000, .tv_nsec = 5},
                            {.tv_sec = 1'600'000'000, .tv_nsec = 123'456'789}};
  for (const char* name : {"train.sh", "data/deep/er/x", "data/deep/er", "data"}) {
    ::utimensat(AT_FDCWD, (dir / name).c_str(), times, 0);
  }
  ::chmod((dir / "train.sh").c_str(), 0755);
  ::chmod((dir / "data/deep/er/x").c_str(), 0444);
  ::chmod((dir / "closed").c_str(), 0555);
  ::chmod(dir.c_str(), 0750);
}

TemporaryDir::TemporaryDir(const fs::path& root) {
  std::string name = (root / "flatout_test_XXXXXX").string();
  path_ = ::mkdtemp(name.data());
}

TemporaryDir::~TemporaryDir() { EXPECT_TRUE(remove_tree(path_)); }

void write(const fs::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

std::string read(const fs::path& path) { return base::read_file(path).value_or("unreadable"); }

}  // namespace flatout::workspace
