// A seed as a file of its own.
#pragma once

#include <fstream>
#include <string>
#include <string_view>

namespace flatout::fuzz {

inline bool write_file(const std::string& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return static_cast<bool>(file.flush());
}

}  // namespace flatout::fuzz
