#include "inject/blocks.h"

namespace flatout::inject {
namespace {

std::uint64_t at_least(std::uint64_t a, std::uint64_t b) { return a > b ? a : b; }

}  // namespace

bool Blocks::step_closed(std::int64_t (*now)()) {
  if (page_ == nullptr) return false;
  page_->steps_closed.fetch_add(1, std::memory_order_relaxed);
  switch (phase_) {
    case Phase::kIdle:
      return take(now);
    case Phase::kSettling:
      if (left_ > 0) --left_;
      if (left_ == 0) begin(now);
      return false;
    case Phase::kMeasuring:
      break;
  }
  ++steps_;
  if (disturbed_ && (page_->training & wire::kFromState) != 0) {
    answer(wire::BlockEnd::kDisturbed);  // only the tuner can begin it anew, from the state
    return false;
  }
  if (disturbed_ && page_->with_epochs == 0) {
    begin_anew();
    return false;
  }
  if (steps_ < page_->block_steps || now() - begin_ns_ < page_->least_ns) return false;
  if (calls_.settled != nullptr) calls_.settled();
  page_->block_ns = now() - begin_ns_;
  answer(wire::BlockEnd::kMeasured);
  return false;
}

bool Blocks::take(std::int64_t (*now)()) {
  do {
    const std::uint32_t asked = page_->asked.load(std::memory_order_acquire);
    if (asked == taken_) return false;
    taken_ = asked;
    if (page_->request == wire::ControlRequest::kEnd) {
      page_->answered.store(taken_, std::memory_order_release);
      return true;
    }
    if (page_->request == wire::ControlRequest::kLetGo) {
      page_->answered.store(taken_, std::memory_order_release);
      page_ = nullptr;
      return false;
    }
  } while (page_->request == wire::ControlRequest::kRest && rest());
  restarts_ = 0;
  steps_ = 0;
  const std::int64_t since_ns = now();
  const std::uint32_t bytes = page_->text_bytes;
  const bool put = bytes <= wire::kMaxControlText &&
                   (calls_.put == nullptr || calls_.put(page_->text, bytes, *page_));
  put_ns_ = now();
  page_->switch_ns = put_ns_ - since_ns;
  if (!put) {
    answer(wire::BlockEnd::kFailed);
    return false;
  }
  left_ = page_->settle_steps;
  phase_ = Phase::kSettling;
  if (left_ == 0) begin(now);
  return false;
}

bool Blocks::rest() {
  if (calls_.settled != nullptr) calls_.settled();
  page_->answered.store(taken_, std::memory_order_release);
  if (calls_.rest != nullptr) calls_.rest(*page_, taken_);
  return true;
}

void Blocks::begin(std::int64_t (*now)()) {
  if (calls_.settled != nullptr) calls_.settled();
  begin_ns_ = now();
  page_->settle_ns = begin_ns_ - put_ns_;
  steps_ = 0;
  disturbed_ = false;
  phase_ = Phase::kMeasuring;
}

void Blocks::begin_anew() {
  if (++restarts_ > kMostBlockRestarts) {
    answer(wire::BlockEnd::kDisturbed);
    return;
  }
  left_ = at_least(page_->settle_steps, kSettleAfterDisturbance);
  phase_ = Phase::kSettling;
}

void Blocks::answer(wire::BlockEnd end) {
  phase_ = Phase::kIdle;
  page_->end = end;
  page_->restarts = restarts_;
  page_->steps = steps_;
  if (end != wire::BlockEnd::kFailed) {
    page_->answer_bytes = 0;
    if (calls_.outcomes != nullptr) calls_.outcomes(*page_);
  }
  page_->answered.store(taken_, std::memory_order_release);
}

}  // namespace flatout::inject
