// Places in CPython's structures that the stable ABI does not name, the same from 3.9 to 3.14 in
// builds with a GIL. Whoever uses one first compares what lies there with what Python says of it.
#pragma once

#include "inject/python_api.h"

namespace flatout::inject {

constexpr Py_ssize_t kBasicSizeOfType = 32;
constexpr Py_ssize_t kVectorcallOffsetOfType = 56;
constexpr unsigned long kHaveVectorcall = 1UL << 11;  // a flag of a type

template <typename Value>
Value* value_at(void* object, Py_ssize_t offset) {
  return reinterpret_cast<Value*>(static_cast<char*>(object) + offset);
}

}  // namespace flatout::inject
