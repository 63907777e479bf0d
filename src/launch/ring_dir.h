// The directory of a run's rings: in /dev/shm where that is large, else on a local
// file system. Never a network one, where a page that cannot be written kills the
// writer. It holds the entries of rings that are segments, else the rings
// themselves (ring_memory.h). Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "launch/plan.h"
#include "launch/ring_memory.h"

namespace flatout::launch {

// The questions asked of a file system; tests answer them instead.
class DiskProbe {
 public:
  virtual ~DiskProbe() = default;
  virtual base::Result<std::uint64_t> magic(const std::filesystem::path& dir) const = 0;
  virtual base::Result<std::uint64_t> free_bytes(const std::filesystem::path& dir) const = 0;
  // Creates a file of so many allocated bytes in `dir` and removes it again.
  virtual base::Result<void> try_allocate(const std::filesystem::path& dir,
                                          std::uint64_t bytes) const = 0;
};

class SystemDisk final : public DiskProbe {
 public:
  base::Result<std::uint64_t> magic(const std::filesystem::path& dir) const override;
  base::Result<std::uint64_t> free_bytes(const std::filesystem::path& dir) const override;
  base::Result<void> try_allocate(const std::filesystem::path& dir,
                                  std::uint64_t bytes) const override;
};

inline constexpr std::uint64_t kRingFreeBytesMin = 16U << 20;  // a rank, its workers, the rest
// With less free space, what the program itself keeps there might no longer fit: a
// container's /dev/shm has 64 MB, through which loader workers send their tensors.
inline constexpr std::uint64_t kAmpleBytes = 1U << 30;

enum class RingKind { kSegment, kFile };

// /dev/shm, $TMPDIR when absolute, /tmp.
std::vector<std::filesystem::path> ring_roots(std::span<const std::string> env);

// Creates <root>/flatout-<uid>-<run_id>, mode 0700, in the first root with
// kAmpleBytes free that will do. Where none has so much: for files the one with the
// most, from kRingFreeBytesMin on; for entries of segments, which take no space to
// speak of, the last. kUnavailable when none will do: hooks are off, the message
// says what is wrong with each.
base::Result<std::filesystem::path> create_ring_dir(std::string_view run_id,
                                                    std::span<const std::filesystem::path> roots,
                                                    RingKind kind = RingKind::kFile,
                                                    const DiskProbe& probe = SystemDisk());

// What a log says of its ring directory is anybody's text: the path to use, if
// `said` is the one that create_ring_dir gives `run_id` in one of `roots`, and a
// folder, no link, of this user alone. Nothing may be opened or removed by a path
// that was read before it has passed here. kInvalid says why not; kNotFound: it is gone.
base::Result<std::filesystem::path> own_ring_dir(const std::filesystem::path& said,
                                                 std::string_view run_id,
                                                 std::span<const std::filesystem::path> roots);

// Removes a directory that create_ring_dir made, with the files that flatout's
// hooks write there; follows no link. Anything else in it stays, and it with it:
// kInvalid then, and for a path that is not named like one. One that is gone
// already is no error.
base::Result<void> remove_ring_dir(const std::filesystem::path& dir);

}  // namespace flatout::launch
