#include "record/trace_names.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "run/activity.h"

namespace flatout::record {
namespace {

constexpr std::size_t kMostNamesBytes = 64U << 20;  // of all names of a run
// A mangled name may stand for one that is much longer: the demangler gets no more than this.
constexpr std::size_t kMostMangledBytes = 8192;

}  // namespace

std::string readable_name(std::string_view name) {
  std::string text(name);
  if (text.starts_with("_Z") && text.size() <= kMostMangledBytes) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> plain(
        abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status), &std::free);
    if (plain) text = plain.get();
  }
  if (text.size() > kMostTraceNameBytes) text.resize(kMostTraceNameBytes);
  return text;
}

TraceNames::Numbered TraceNames::number_of(const std::string& name) {
  if (name.empty()) return {};
  if (const auto known = numbers_.find(name); known != numbers_.end()) {
    return {.number = known->second, .fresh = false};
  }
  if (next_ >= run::NameTable::kMostNames || bytes_ + name.size() > kMostNamesBytes) return {};
  bytes_ += name.size();
  numbers_.emplace(name, next_);
  return {.number = next_++, .fresh = true};
}

void TraceNames::know(std::uint32_t number, std::string_view name) {
  next_ = std::max(next_, number + 1);
  bytes_ += name.size();
  numbers_.try_emplace(std::string(name), number);
}

}  // namespace flatout::record
