#include "store/logged_records.h"

#include <iterator>
#include <string>
#include <vector>

#include "run/plausible.h"
#include "store/codec.h"

namespace flatout::store {
namespace {

FrameType frame_type_of(const run::DeviceActivity*) { return FrameType::kActivities; }
FrameType frame_type_of(const run::HostSpan*) { return FrameType::kHostSpans; }
auto decode_logged(std::string_view payload, const run::DeviceActivity*) {
  return decode_activities(payload);
}
auto decode_logged(std::string_view payload, const run::HostSpan*) {
  return decode_host_spans(payload);
}

template <typename T>
class LoggedEvents final : public run::RecordSource<T> {
 public:
  LoggedEvents(std::shared_ptr<LogRecords> log, EventBlocks blocks)
      : log_(std::move(log)), blocks_(std::move(blocks)) {}

  std::span<const run::RecordBlockInfo> blocks() const override { return blocks_.infos(); }

  std::vector<T> load(std::size_t block) const override {
    std::vector<T> items;
    for (const auto& piece : blocks_.pieces(block)) {
      auto more = load_piece(static_cast<std::uint64_t>(piece.place.seq));
      std::erase_if(more, [](const T& item) { return !run::plausible(item); });
      std::ranges::move(more, std::back_inserter(items));
    }
    if (!blocks_.sorted(block)) run::sort_by_time(items);
    return items;
  }

 private:
  std::vector<T> load_piece(std::uint64_t offset) const {
    constexpr const T* kOf = nullptr;
    const std::lock_guard lock(log_->mutex);
    std::string payload;
    if (FrameReader::payload_at(*log_->log.source, offset, frame_type_of(kOf), payload)) {
      auto decoded = decode_logged(payload, kOf);
      if (decoded) return std::move(decoded->value);
    }
    log_->unread.insert(offset);
    return {};
  }

  std::shared_ptr<LogRecords> log_;
  EventBlocks blocks_;
};

}  // namespace

template <typename T>
run::Records<T> logged_events(std::shared_ptr<LogRecords> log, EventBlocks blocks) {
  return run::Records<T>(std::make_shared<LoggedEvents<T>>(std::move(log), std::move(blocks)));
}
template run::Records<run::DeviceActivity> logged_events(std::shared_ptr<LogRecords>, EventBlocks);
template run::Records<run::HostSpan> logged_events(std::shared_ptr<LogRecords>, EventBlocks);

}  // namespace flatout::store
