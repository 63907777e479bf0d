// A descriptor of the graph API: a type and attributes, as the program set them. What is derived
// from them is made when it is finalized.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "cudnn/api.h"
#include "cudnn/backend_numbers.h"

namespace simgpu::cudnn {

struct Descriptor;
struct GraphWork;
struct Plan;
using DescriptorPointer = std::shared_ptr<Descriptor>;

struct Value {
  int type = 0;  // AttributeType
  std::int64_t count = 0;
  std::vector<std::byte> data;                 // of everything but descriptors
  std::vector<DescriptorPointer> descriptors;  // kept alive: programs end their own handles early
};

struct Descriptor {
  int type = 0;  // DescriptorType
  bool finalized = false;
  std::map<int, Value> values;
  std::shared_ptr<const GraphWork> work;  // of an operation graph, once finalized
  std::shared_ptr<const Plan> plan;       // of an execution plan, once finalized

  const Value* find(int attribute) const;
  // The descriptor of an attribute, null where it is not set.
  DescriptorPointer child(int attribute) const;
  std::vector<DescriptorPointer> children(int attribute) const;

  // The first element of an attribute; `otherwise` where it is not set.
  template <typename T>
  T number(int attribute, T otherwise) const {
    const Value* const value = find(attribute);
    if (value == nullptr || value->data.size() < sizeof(T)) {
      return otherwise;
    }
    T number;
    std::memcpy(&number, value->data.data(), sizeof(T));
    return number;
  }
  std::vector<std::int64_t> numbers(int attribute) const;
};

// What a handle of the program points to. Reading an attribute of descriptors lets the given
// handles point to other descriptors.
struct DescriptorHandle {
  DescriptorPointer descriptor;
};

// Bytes of one element of an attribute's type.
std::size_t attribute_bytes(int attribute_type);

// Checks what a descriptor needs and derives what follows from it.
cudnnStatus_t finalize(Descriptor& descriptor);

// Attributes that nobody set, but that follow from others: engine counts, notes, workspace sizes,
// heuristics' results. False where `attribute` is none of these; then what was set is read.
bool read_derived(const Descriptor& descriptor, int attribute, Value& value);

}  // namespace simgpu::cudnn
