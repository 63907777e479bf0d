// Memory that a thread keeps from sample to sample, at addresses that vectors like. Moves, does not
// copy.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace flatout::data::transform {

class AlignedMemory {
 public:
  static constexpr std::size_t kAlignment = 64;

  // At least `bytes`; what was there before is lost when it has to grow.
  std::byte* at_least(std::size_t bytes) {
    if (bytes > bytes_) {
      memory_.reset();
      memory_.reset(static_cast<std::byte*>(::operator new(bytes, std::align_val_t{kAlignment})));
      bytes_ = bytes;
    }
    return memory_.get();
  }

  template <class T>
  T* array(std::size_t count) {
    return reinterpret_cast<T*>(at_least(count * sizeof(T)));
  }

  // The same memory, after at_least().
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(memory_.get());
  }

  std::size_t bytes() const { return bytes_; }

 private:
  struct Free {
    void operator()(std::byte* memory) const {
      ::operator delete(memory, std::align_val_t{kAlignment});
    }
  };
  std::unique_ptr<std::byte, Free> memory_;
  std::size_t bytes_ = 0;
};

}  // namespace flatout::data::transform
