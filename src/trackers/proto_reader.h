// The fields of one message of protocol buffers, without its schema. Source of the encoding:
// protobuf.dev/programming-guides/encoding. Bytes are not trusted: whatever does not fit ends the
// message, and nothing behind it is given. Any thread; the bytes must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace flatout::trackers {

struct ProtoField {
  enum class Kind : std::uint8_t { kVarint, kFixed64, kBytes, kFixed32 };
  std::uint32_t number = 0;
  Kind kind = Kind::kVarint;
  std::uint64_t bits = 0;  // of all but kBytes
  std::string_view bytes;  // a text, a message, or packed numbers

  // Of a field that should be one; absent where it is another kind.
  std::optional<double> as_double() const;  // also of a float
  std::optional<std::int64_t> as_int() const;
  std::string_view text() const { return kind == Kind::kBytes ? bytes : std::string_view(); }
};

class ProtoReader {
 public:
  explicit ProtoReader(std::string_view message) : left_(message) {}
  // Absent at the end, or where the rest does not fit.
  std::optional<ProtoField> next();
  // Whether all of it fitted; once next() gave nothing.
  bool whole() const { return whole_; }

 private:
  std::optional<std::uint64_t> varint();
  std::optional<std::uint64_t> fixed(std::size_t bytes);

  std::string_view left_;
  bool whole_ = true;
};

// Packed doubles, or one that stands alone. At most `most`.
template <typename Out>
void append_doubles(const ProtoField& field, std::size_t most, Out& out) {
  if (field.kind == ProtoField::Kind::kFixed64) {
    if (const auto one = field.as_double(); one && out.size() < most) out.push_back(*one);
    return;
  }
  for (std::size_t at = 0; at + 8 <= field.text().size() && out.size() < most; at += 8) {
    ProtoField one{.number = 0, .kind = ProtoField::Kind::kFixed64, .bits = 0, .bytes = {}};
    for (std::size_t i = 8; i-- > 0;) {
      one.bits = one.bits << 8 | static_cast<unsigned char>(field.bytes[at + i]);
    }
    out.push_back(*one.as_double());
  }
}

}  // namespace flatout::trackers
