// A log on its way to disk: one stream of bytes of which a prefix is in the file
// and the rest waits in memory. It never gets a hole: every write names its
// offset, so what a failed write left behind is cut off, or else written over
// with the same bytes later. One thread.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "store/disk.h"
#include "store/frame_log.h"

namespace flatout::store {

class LogStream final : public ByteSource {
 public:
  // The file for all that waits: a new one, or (resume) one with the stream's beginning.
  void begin_in(std::unique_ptr<DiskFile> file) { file_ = std::move(file); }
  base::Result<void> resume(std::unique_ptr<DiskFile> file);
  bool has_file() const { return file_ != nullptr; }
  // Cuts the file there, when nothing waits.
  base::Result<void> cut(std::uint64_t end);

  // Whole frames (the first call: also the file header).
  void append(std::string_view frames);
  // A tick's frames are all there: they go to the file with one write.
  void end_tick();
  std::uint64_t end() const { return disk_bytes_ + waiting_bytes_; }
  std::size_t waiting_bytes() const { return waiting_bytes_; }

  // Everything that waits, to the file, which must be there. After an error the
  // whole frames that got there stay, and the rest waits on.
  base::Result<void> write();
  base::Result<void> sync();
  bool unsynced() const { return unsynced_; }

  // Of both parts.
  base::Result<std::size_t> read_at(std::uint64_t offset, char* out, std::size_t n) override;

 private:
  base::Result<void> write_segment();
  void roll_back(std::size_t done);

  std::unique_ptr<DiskFile> file_;
  std::uint64_t disk_bytes_ = 0;      // of the stream, in the file
  std::deque<std::string> segments_;  // the rest: a tick each, or several
  std::size_t waiting_bytes_ = 0;
  bool open_segment_ = false;  // the last segment still takes frames
  bool unsynced_ = false;
};

}  // namespace flatout::store
