#include "store/log_stream.h"

#include <algorithm>
#include <utility>

namespace flatout::store {
namespace {

using base::Result;

// Ticks that wait for the disk share segments up to this size.
constexpr std::size_t kSegmentBytes = 1U << 20;

}  // namespace

Result<void> LogStream::resume(std::unique_ptr<DiskFile> file) {
  const auto status = file->status();
  if (!status) return std::unexpected(status.error());
  file_ = std::move(file);
  disk_bytes_ = status->bytes;
  return {};
}

Result<void> LogStream::cut(std::uint64_t end) {
  if (auto cut = file_->truncate(end); !cut) return cut;
  disk_bytes_ = end;
  return {};
}

void LogStream::append(std::string_view frames) {
  if (!open_segment_ || segments_.empty()) segments_.emplace_back();
  open_segment_ = true;
  segments_.back().append(frames);
  waiting_bytes_ += frames.size();
}

void LogStream::end_tick() {
  if (!segments_.empty() && segments_.back().size() >= kSegmentBytes) open_segment_ = false;
}

Result<void> LogStream::write() {
  while (!segments_.empty()) {
    if (auto written = write_segment(); !written) return written;
  }
  return {};
}

Result<void> LogStream::write_segment() {
  const std::string_view bytes = segments_.front();
  std::size_t done = 0;
  while (done < bytes.size()) {
    const auto written = file_->write_at(disk_bytes_ + done, bytes.substr(done));
    if (!written) {
      roll_back(done);
      return std::unexpected(written.error());
    }
    done += *written;
  }
  unsynced_ = true;
  disk_bytes_ += done;
  waiting_bytes_ -= done;
  segments_.pop_front();
  return {};
}

// `done` bytes of the first segment are in the file: the whole frames among
// them stay, the rest is cut off. Should that fail too, the next write goes
// over it with the same bytes.
void LogStream::roll_back(std::size_t done) {
  auto& segment = segments_.front();
  const std::size_t whole = whole_frames(segment, done, disk_bytes_ == 0);
  disk_bytes_ += whole;
  waiting_bytes_ -= whole;
  segment.erase(0, whole);
  unsynced_ = unsynced_ || whole != 0;
  if (whole < done) (void)file_->truncate(disk_bytes_);
}

Result<void> LogStream::sync() {
  auto synced = file_->sync();
  if (synced) unsynced_ = false;
  return synced;
}

Result<std::size_t> LogStream::read_at(std::uint64_t offset, char* out, std::size_t n) {
  std::size_t done = 0;
  if (offset < disk_bytes_) {
    const auto in_file = std::min<std::uint64_t>(n, disk_bytes_ - offset);
    const auto got = file_->read_at(offset, out, static_cast<std::size_t>(in_file));
    if (!got || *got < in_file) return got;
    done = *got;
  }
  std::uint64_t begin = disk_bytes_;
  for (const auto& segment : segments_) {
    const std::uint64_t at = offset + done;
    if (done < n && at >= begin && at - begin < segment.size()) {
      const auto part = std::string_view(segment).substr(static_cast<std::size_t>(at - begin));
      done += part.copy(out + done, n - done);
    }
    begin += segment.size();
  }
  return done;
}

}  // namespace flatout::store
