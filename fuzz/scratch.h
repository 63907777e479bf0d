// A folder in memory for targets whose reader wants a path; gone at the end.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace flatout::fuzz {

class Scratch {
 public:
  Scratch() {
    std::string name = "/dev/shm/flatout-fuzz-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Whole, with the folders above it; a target that cannot write tests nothing.
inline void write_file(const std::filesystem::path& path, std::string_view bytes) {
  if (!std::filesystem::exists(path)) std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) std::abort();
}

}  // namespace flatout::fuzz
