// The names of all kernel traces of a run, each with one number: eight ranks run the same kernels.
// Mangled names of C++ are made readable. Bounded: what does not fit has number 0, the empty name.
// One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace flatout::record {

// Of a name as it is kept; what is longer is cut.
constexpr std::size_t kMostTraceNameBytes = 4096;

// `name` as its author wrote it where it is mangled, else as it is; cut.
std::string readable_name(std::string_view name);

class TraceNames {
 public:
  struct Numbered {
    std::uint32_t number = 0;
    bool fresh = false;  // never given before
  };
  Numbered number_of(const std::string& name);
  // As a recorder before this one gave it.
  void know(std::uint32_t number, std::string_view name);

 private:
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
  std::uint32_t next_ = 1;
  std::size_t bytes_ = 0;
};

}  // namespace flatout::record
