#include "data/decode/jpeg/bytes.h"

#include <algorithm>
#include <cstring>

namespace flatout::data {
namespace {

constexpr std::size_t kPiece = std::size_t{16} * 1024;
// The reader is up to eight bytes ahead of what it has used, and may give those back.
constexpr std::size_t kAhead = 16;
constexpr std::size_t kSpare = kMaxMcuBytes + 4 * kAhead;

constexpr std::size_t kUnread = kAhead + kSpare;  // that can be left when more is taken
constexpr std::size_t kCapacity = kUnread + kPiece + kSpare;

}  // namespace

std::size_t find_jpeg_marker(std::span<const std::byte> file, std::size_t at) {
  while (at + 1 < file.size()) {
    const void* found = std::memchr(file.data() + at, 0xFF, file.size() - at - 1);
    if (found == nullptr) break;
    at = static_cast<std::size_t>(static_cast<const std::byte*>(found) - file.data());
    const std::byte code = file[at + 1];
    if (code == std::byte{0xFF}) {
      ++at;  // a fill byte
    } else if (code == std::byte{0}) {
      at += 2;
    } else {
      return at;
    }
  }
  return file.size();
}

CodedBytes::CodedBytes() : buffer_(std::make_unique<std::uint8_t[]>(kCapacity)) {}

BitPlace CodedBytes::begin(std::span<const std::byte> file, std::size_t at) {
  file_ = file;
  at_ = at;
  at_end_ = false;
  end_ = buffer_.get() + kAhead;
  take();
  return {.acc = 0, .count = 0, .next = buffer_.get() + kAhead};
}

void CodedBytes::fill(BitPlace& place) {
  const std::uint8_t* keep = place.next - kAhead;
  const auto kept = static_cast<std::size_t>(end_ - keep);
  std::memmove(buffer_.get(), keep, kept);
  place.next = buffer_.get() + kAhead;
  end_ = buffer_.get() + kept;
  take();
}

void CodedBytes::take() {
  end_ += unstuff(end_, kPiece);
  std::memset(end_, 0, kSpare);
}

std::size_t CodedBytes::unstuff(std::uint8_t* target, std::size_t room) {
  std::size_t done = 0;
  while (done < room) {
    if (at_ == file_.size()) {
      at_end_ = true;
      break;
    }
    const std::byte* source = file_.data() + at_;
    const std::size_t most = std::min(room - done, file_.size() - at_);
    const void* found = std::memchr(source, 0xFF, most);
    const std::size_t run =
        found == nullptr ? most
                         : static_cast<std::size_t>(static_cast<const std::byte*>(found) - source);
    std::memcpy(target + done, source, run);
    done += run;
    at_ += run;
    if (found == nullptr) continue;
    const std::byte code = at_ + 1 < file_.size() ? file_[at_ + 1] : std::byte{0xD9};
    if (code == std::byte{0}) {
      target[done++] = 0xFF;
      at_ += 2;
    } else if (code == std::byte{0xFF}) {
      ++at_;
    } else {
      at_end_ = true;
      break;
    }
  }
  return done;
}

const std::uint8_t* CodedBytes::last_begin() const {
  // The reader's `next` is up to eight bytes ahead of the MCU.
  return at_end_ ? end_ + 8 : end_ - kMaxMcuBytes - 8;
}

bool CodedBytes::is_beyond(const BitPlace& place) const {
  return 8 * (place.next - end_) > place.count;
}

std::size_t CodedBytes::find_marker() const { return find_jpeg_marker(file_, at_); }

}  // namespace flatout::data
