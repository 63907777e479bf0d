// One ring, a segment or a file, mapped. Checks everything that its header claims.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/process.h"
#include "base/result.h"
#include "wire/ring.h"

namespace flatout::record {

// Who writes a ring, from its header.
struct RingOwner {
  base::ProcessId id;
  pid_t parent = 0;
  wire::RingRole role = wire::RingRole::kMain;
  int worker_id = -1;
  int rank = -1;
  std::int64_t created_ns = 0;
};

// "ring.<pid>.<start_ticks>", of a kernel trace with ".trace" behind it; absent for any other name.
std::optional<base::ProcessId> parse_ring_name(std::string_view name);

// Removes the entry `path` of a ring and the segment that it names. What the writer
// and we have mapped stays usable. True where the entry is gone.
bool remove_ring(const std::filesystem::path& path);

// The same for all entries of a directory. Call it before the directory is removed:
// a segment whose entry is gone is found by nobody.
void remove_rings(const std::filesystem::path& dir);

// Owns the mapping. Moves; the addresses stay.
class RingFile {
 public:
  // kNotFound: gone meanwhile. kCorrupt: no ring of this version, or its header
  // does not fit its name or size. kIo: the system refused.
  static base::Result<RingFile> open(const std::filesystem::path& path);

  RingFile(RingFile&& other) noexcept;
  RingFile& operator=(RingFile&& other) noexcept;
  RingFile(const RingFile&) = delete;
  RingFile& operator=(const RingFile&) = delete;
  ~RingFile();

  const RingOwner& owner() const { return owner_; }
  // Role and worker as the header has them by now: the hooks of a loader worker may
  // join a ring that was made before they knew.
  void reload_role();
  std::uint64_t dropped() const { return header_->dropped.load(std::memory_order_relaxed); }
  wire::RingReader reader() const;
  // True where its process has not stopped itself (kStop) and now never will.
  bool claim_stop() { return header_->stop_said.exchange(1) == 0; }
  // The file was made shorter by somebody; what lay behind reads as zeros.
  bool was_cut() const;

 private:
  RingFile(void* base, std::size_t bytes);
  static base::Result<RingFile> checked(void* base, std::size_t bytes,
                                        const std::filesystem::path& path);
  static base::Result<RingFile> open_segment(int id, const std::filesystem::path& path);

  wire::RingHeader* header_ = nullptr;  // the start of the mapping
  std::size_t bytes_ = 0;               // of the mapping
  std::uint64_t capacity_ = 0;          // as it was when checked
  RingOwner owner_;
};

}  // namespace flatout::record
