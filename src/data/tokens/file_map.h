// A file's bytes in memory, without the two dangers of a map: a page that is gone, since the file
// became shorter or its disk fails, neither ends the program by SIGBUS nor passes for the file's.
//
// The first map installs a handler of SIGBUS for the process. Where a page of one of these maps
// cannot be read, it puts an empty page there, and the map is not intact from then on; all other
// such signals go to whoever handled them before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace flatout::data {

// Read from any thread.
class FileMap {
 public:
  // None where the system refuses, where the process has a bound on its address space, or has
  // kMost maps already. Bytes [0, bytes) of `fd`, which may be closed then.
  static std::optional<FileMap> of(int fd, std::uint64_t bytes);

  FileMap(FileMap&& other) noexcept;
  FileMap& operator=(FileMap&& other) noexcept;
  ~FileMap();

  const std::byte* data() const { return data_; }

  // Whether all that was read so far was there. Not of a file that ends within a page: what is
  // behind its end reads as 0, so its size has to be looked at too, after reading.
  bool intact() const;

  // The handler is in its place. Who put another there since would get these signals: then do not
  // read through a map.
  static bool watched();

  static constexpr std::size_t kMost = 4096;

 private:
  FileMap(std::byte* data, std::size_t bytes, std::size_t slot)
      : data_(data), bytes_(bytes), slot_(slot) {}

  std::byte* data_;  // null: moved from
  std::size_t bytes_;
  std::size_t slot_;
};

}  // namespace flatout::data
