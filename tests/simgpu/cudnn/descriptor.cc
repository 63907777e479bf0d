#include "cudnn/descriptor.h"

namespace simgpu::cudnn {

const Value* Descriptor::find(int attribute) const {
  const auto found = values.find(attribute);
  return found == values.end() ? nullptr : &found->second;
}

DescriptorPointer Descriptor::child(int attribute) const {
  const Value* const value = find(attribute);
  return value == nullptr || value->descriptors.empty() ? nullptr : value->descriptors.front();
}

std::vector<DescriptorPointer> Descriptor::children(int attribute) const {
  const Value* const value = find(attribute);
  return value == nullptr ? std::vector<DescriptorPointer>{} : value->descriptors;
}

std::vector<std::int64_t> Descriptor::numbers(int attribute) const {
  const Value* const value = find(attribute);
  if (value == nullptr || value->type != kTypeInt64) {
    return {};
  }
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(value->count));
  std::memcpy(numbers.data(), value->data.data(), value->data.size());
  return numbers;
}

std::size_t attribute_bytes(int attribute_type) {
  switch (attribute_type) {
    case kTypeHandle:
    case kTypeInt64:
    case kTypeDouble:
    case kTypePointer:
    case kTypeDescriptor:
      return 8;
    case kTypeBoolean:
    case kTypeChar:
      return 1;
    case kTypeFraction:
      return 16;
    default:
      return 4;  // numbers of 32 bits and enumerations
  }
}

}  // namespace simgpu::cudnn
