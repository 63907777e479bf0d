// Numbers as files and batches of arrays hold them: little endian, one after the other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace flatout::data {

enum class ElementType : std::uint8_t {
  kUint8,
  kInt8,
  kUint16,
  kInt16,
  kUint32,
  kInt32,
  kUint64,
  kInt64,
  kFloat16,
  kFloat32,
  kFloat64,
};

struct ElementTypeFacts {
  const char* name;   // NumPy's
  const char* descr;  // in the header of an .npy file
  std::size_t bytes;
};

// In the order of the types.
inline constexpr std::array<ElementTypeFacts, 11> kElementTypes = {{{"uint8", "|u1", 1},
                                                                    {"int8", "|i1", 1},
                                                                    {"uint16", "<u2", 2},
                                                                    {"int16", "<i2", 2},
                                                                    {"uint32", "<u4", 4},
                                                                    {"int32", "<i4", 4},
                                                                    {"uint64", "<u8", 8},
                                                                    {"int64", "<i8", 8},
                                                                    {"float16", "<f2", 2},
                                                                    {"float32", "<f4", 4},
                                                                    {"float64", "<f8", 8}}};

constexpr const ElementTypeFacts& facts_of(ElementType type) {
  return kElementTypes[static_cast<std::size_t>(type)];
}
constexpr std::size_t bytes_of(ElementType type) { return facts_of(type).bytes; }
constexpr const char* name_of(ElementType type) { return facts_of(type).name; }

// Absent where no type is called so.
constexpr std::optional<ElementType> element_type_named(std::string_view name) {
  for (std::size_t i = 0; i < kElementTypes.size(); ++i) {
    if (name == kElementTypes[i].name) return static_cast<ElementType>(i);
  }
  return std::nullopt;
}

}  // namespace flatout::data
