#include "trackers/proto_reader.h"

#include <bit>

namespace flatout::trackers {

std::optional<double> ProtoField::as_double() const {
  if (kind == Kind::kFixed64) return std::bit_cast<double>(bits);
  if (kind == Kind::kFixed32) {
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
  return std::nullopt;
}

std::optional<std::int64_t> ProtoField::as_int() const {
  if (kind == Kind::kBytes) return std::nullopt;
  return static_cast<std::int64_t>(bits);
}

std::optional<std::uint64_t> ProtoReader::varint() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64 && !left_.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(left_.front());
    left_.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return value;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> ProtoReader::fixed(std::size_t bytes) {
  if (left_.size() < bytes) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t i = bytes; i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(left_[i]);
  }
  left_.remove_prefix(bytes);
  return value;
}

std::optional<ProtoField> ProtoReader::next() {
  if (left_.empty()) return std::nullopt;
  const auto broken = [this]() -> std::optional<ProtoField> {
    left_ = {};
    whole_ = false;
    return std::nullopt;
  };
  const auto tag = varint();
  if (!tag || *tag >> 3 == 0 || *tag >> 3 > 0x1fffffff) return broken();
  ProtoField field;
  field.number = static_cast<std::uint32_t>(*tag >> 3);
  std::optional<std::uint64_t> value;
  switch (*tag & 7) {
    case 0:
      value = varint();
      break;
    case 1:
      field.kind = ProtoField::Kind::kFixed64;
      value = fixed(8);
      break;
    case 2:
      field.kind = ProtoField::Kind::kBytes;
      value = varint();
      if (!value || *value > left_.size()) return broken();
      field.bytes = left_.substr(0, static_cast<std::size_t>(*value));
      left_.remove_prefix(field.bytes.size());
      return field;
    case 5:
      field.kind = ProtoField::Kind::kFixed32;
      value = fixed(4);
      break;
    default:  // groups, which nobody writes any more
      return broken();
  }
  if (!value) return broken();
  field.bits = *value;
  return field;
}

}  // namespace flatout::trackers
