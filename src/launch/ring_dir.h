// Where the rings lie: shared memory, else a local file system. Never a network
// one, where a page that cannot be written kills the writer. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "launch/plan.h"

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

inline constexpr std::uint64_t kRingTrialBytes = 4U << 20;     // the ring of one rank
inline constexpr std::uint64_t kRingFreeBytesMin = 16U << 20;  // a rank, its workers, the rest

// /dev/shm, $TMPDIR when absolute, /tmp.
std::vector<std::filesystem::path> ring_roots(std::span<const std::string> env);

// Creates <root>/flatout-<uid>-<run_id>, mode 0700, in the first root that can
// hold rings. kUnavailable when none can: hooks are off, the message says what is
// wrong with each.
base::Result<std::filesystem::path> create_ring_dir(std::string_view run_id,
                                                    std::span<const std::filesystem::path> roots,
                                                    const DiskProbe& probe = SystemDisk());

// Removes a directory that create_ring_dir made, with its rings. kInvalid for a
// path that is not named like one. One that is gone already is no error.
base::Result<void> remove_ring_dir(const std::filesystem::path& dir);

}  // namespace flatout::launch
