// For tests: files of TensorBoard and wandb as their writers make them, and the protobuf in them.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "trackers/tensorboard/record_file.h"

namespace flatout::trackers {

inline std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}
inline std::string number(std::uint32_t field, std::uint64_t value) {
  return varint(field << 3) + varint(value);
}
inline std::string text(std::uint32_t field, const std::string& bytes) {
  return varint(field << 3 | 2) + varint(bytes.size()) + bytes;
}
template <typename Value>
std::string fixed(std::uint32_t field, Value value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return varint(field << 3 | (sizeof value == 8 ? 1 : 5)) + bytes;
}
template <typename Value>
std::string raw(Value value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

// --- TensorBoard ---

inline std::string record(const std::string& event) {
  const std::string length = raw<std::uint64_t>(event.size());
  return length + raw(tensorboard::masked_crc(length)) + event +
         raw(tensorboard::masked_crc(event));
}
inline std::string event(double wall, std::int64_t step, const std::string& value) {
  return fixed(1, wall) + number(2, static_cast<std::uint64_t>(step)) + text(5, text(1, value));
}
inline const std::string kVersion = record(fixed(1, 1000.0) + text(3, "brain.Event:2"));

// --- wandb ---

inline std::string piece(char type, const std::string& bytes) {
  const std::string all = type + bytes;
  const auto crc = static_cast<std::uint32_t>(
      ::crc32(0, reinterpret_cast<const Bytef*>(all.data()), static_cast<uInt>(all.size())));
  return raw(crc) + raw(static_cast<std::uint16_t>(bytes.size())) + type + bytes;
}

// As its writer cuts records: pieces that end with their block.
inline std::string log_of(const std::vector<std::string>& records) {
  constexpr std::size_t kBlock = 32768, kHead = 7;
  std::string out(":W&B\xe1\xbe\0", 7);
  for (const std::string& whole : records) {
    if (kBlock - out.size() % kBlock < kHead) out.append(kBlock - out.size() % kBlock, '\0');
    std::size_t at = 0;
    do {
      const std::size_t room = kBlock - out.size() % kBlock - kHead;
      const std::size_t n = std::min(room, whole.size() - at);
      const bool first = at == 0, last = at + n == whole.size();
      out += piece(static_cast<char>(first && last ? 1
                                     : first       ? 2
                                     : last        ? 4
                                                   : 3),
                   whole.substr(at, n));
      at += n;
    } while (at < whole.size());
  }
  return out;
}

inline std::string item(const std::string& key, const std::string& json) {
  return text(1, key) + text(16, json);
}
inline std::string history(int step, double time, const std::vector<std::string>& items) {
  std::string body = text(1, item("_step", std::to_string(step))) +
                     text(1, item("_timestamp", std::to_string(time)));
  for (const std::string& one : items) body += text(1, one);
  return text(2, body);
}
inline const std::string kRun = text(
    17, text(1, "3k2f9x1c") + text(3, "mnist") + text(6, "sweep") + text(8, "brisk-wave") +
            text(10, "base") + text(10, "gpu") + text(13, "node7") + text(17, number(1, 1000)) +
            text(4, text(1, item("lr", "0.1")) + text(1, item("_wandb", "{}"))));

}  // namespace flatout::trackers
