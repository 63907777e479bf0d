// A mount namespace of a trial's own, and what is laid in it between fork and exec:
// system calls only, nothing allocates. Any thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "launch/child.h"

namespace flatout::workspace {

// A path of /proc/self/fd, or several in the options of a mount. Paths themselves
// would need escapes for ',' and ':' that kernels read differently.
class Line {
 public:
  Line& add(const char* text);
  Line& add_fd(int fd);
  const char* text() const { return text_; }

 private:
  char text_[256] = {};
  std::size_t size_ = 0;
};

// Before the fork it takes down what it needs; enter() is for the child.
class MountNamespace {
 public:
  static constexpr const char* kNoNamespace = "cannot make a namespace for mounts";
  MountNamespace();
  // With a user namespace in which this user and group are themselves, where
  // CAP_SYS_ADMIN is missing. No mount leaves it.
  launch::SetupFailure enter(bool user_namespace) const;

 private:
  std::string uid_map_, gid_map_;
};

launch::SetupFailure setup_failed(const char* what);  // with errno
int open_path(const std::filesystem::path& path);
bool bind(int from, const std::filesystem::path& to, unsigned long flags);

// A copy that lies over the folder it was made of, where no overlay can: absolute paths
// into the folder then lead into the copy.
class BoundCopy {
 public:
  // Both absolute, without links, and stay as they are in memory. Tries it in a child;
  // false where the kernel does not allow it.
  bool make(const std::filesystem::path& copy, const std::filesystem::path& over);
  // Between fork and exec; ends in the folder.
  launch::SetupFailure enter() const;

 private:
  MountNamespace namespace_;
  bool user_namespace_ = false;
  std::filesystem::path copy_, over_;
};

}  // namespace flatout::workspace
