#include "data/pack/sample_line.h"

#include <exception>
#include <string>
#include <system_error>
#include <utility>

namespace flatout::data {

SampleLine::SampleLine(const Source& source, const SampleForm& form, std::int64_t first)
    : source_(source), form_(form), claimed_(first), taken_(first) {}

SampleLine::~SampleLine() {
  {
    const std::scoped_lock lock(mutex_);
    closing_ = true;
  }
  room_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

base::Result<void> SampleLine::start(int threads) {
  window_.resize(kAhead * static_cast<std::size_t>(threads));
  try {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error& error) {
    if (threads_.empty())
      return base::fail(base::ErrorCode::kUnavailable,
                        std::string("packing cannot start a thread: ") + error.what());
  }
  return {};
}

void SampleLine::work() {
  SamplePacker packer(form_);
  for (std::int64_t index = 0; claim(index);) {
    Made made = make(packer, index);
    const std::scoped_lock lock(mutex_);
    window_[static_cast<std::size_t>(index) % window_.size()] = std::move(made);
    if (index == taken_) made_.notify_one();
  }
}

// The next sample to make, once there is room for it; false when there is none.
bool SampleLine::claim(std::int64_t& index) {
  std::unique_lock lock(mutex_);
  room_.wait(lock, [&] {
    return closing_ || claimed_ == source_.size() ||
           std::cmp_less(claimed_ - taken_, window_.size());
  });
  if (closing_ || claimed_ == source_.size()) return false;
  index = claimed_++;
  return true;
}

SampleLine::Made SampleLine::make(SamplePacker& packer, std::int64_t index) const {
  try {
    Made out{packer.make(source_, index)};
    if (out.sample) out.checksum = checksum_of(out.sample->bytes);
    return out;
  } catch (const std::exception& error) {  // out of memory: no fault of the sample
    return {base::fail(base::ErrorCode::kUnavailable, source_.name(index) + ": " + error.what())};
  }
}

SampleLine::Made SampleLine::take() {
  std::unique_lock lock(mutex_);
  auto& place = window_[static_cast<std::size_t>(taken_) % window_.size()];
  made_.wait(lock, [&] { return place.has_value(); });
  Made out = *std::exchange(place, std::nullopt);
  ++taken_;
  lock.unlock();
  room_.notify_one();
  return out;
}

}  // namespace flatout::data
