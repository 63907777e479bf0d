// Samples of a pretended place far away, which counts what is read of it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <string>

#include "data/source/source.h"

namespace flatout::data::cache {

class CountingSource : public Source {
 public:
  explicit CountingSource(std::int64_t samples, std::string name = "/far/set")
      : samples_(samples), name_(std::move(name)) {}

  // Depends on the number and on how often the set was written.
  std::string content(std::int64_t index) const {
    std::string out(bytes_of(index), '\0');
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = static_cast<char>(static_cast<std::size_t>(index) * 7 + i * i + written_);
    return out;
  }

  std::int64_t size() const override { return samples_; }
  std::int64_t label(std::int64_t index) const override { return index; }
  std::string name(std::int64_t index) const override { return name_ + std::to_string(index); }
  base::Result<std::span<const std::byte>> read(std::int64_t index,
                                                ReadBuffer& buffer) const override {
    ++reads_;
    const std::string bytes = content(index);
    const auto room = buffer.room(bytes.size());
    std::ranges::copy(std::as_bytes(std::span(bytes)), room.begin());
    return room;
  }
  std::optional<SampleVersion> version(std::int64_t index) const override {
    return SampleVersion{name(index), bytes_of(index), static_cast<std::int64_t>(written_), 0,
                         bytes_of(index)};
  }

  // All samples are written anew.
  void write_again() { ++written_; }
  int reads() const { return reads_.exchange(0); }

 private:
  static std::size_t bytes_of(std::int64_t index) {
    return static_cast<std::size_t>(500 + index * 131 % 4000);
  }

  std::int64_t samples_;
  std::string name_;
  std::size_t written_ = 0;
  mutable std::atomic<int> reads_ = 0;
};

inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace flatout::data::cache
