#include "store/sealed/sealed_records.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "run/plausible.h"
#include "store/codec.h"

namespace flatout::store {
namespace {

auto decode_events(std::string_view payload, const run::PhaseEvent*) {
  return decode_phases(payload);
}
auto decode_events(std::string_view payload, const run::Batch*) { return decode_batches(payload); }
auto decode_events(std::string_view payload, const run::DevicePhase*) {
  return decode_device_phases(payload);
}
auto decode_events(std::string_view payload, const run::NamedValue*) {
  return decode_values(payload);
}

auto decode_events(std::string_view payload, const run::DeviceActivity*) {
  return decode_activities(payload);
}
auto decode_events(std::string_view payload, const run::HostSpan*) {
  return decode_host_spans(payload);
}
auto decode_events(std::string_view payload, const run::TraceWindow*) {
  return decode_trace_windows(payload);
}

template <typename T>
class SealedEvents final : public run::RecordSource<T> {
 public:
  SealedEvents(std::shared_ptr<SealedFile> file, EventBlocks blocks)
      : file_(std::move(file)), blocks_(std::move(blocks)) {}

  std::span<const run::RecordBlockInfo> blocks() const override { return blocks_.infos(); }

  std::vector<T> load(std::size_t block) const override {
    std::vector<T> items;
    for (const auto& piece : blocks_.pieces(block)) {
      auto more = load_piece(piece.place);
      std::erase_if(more, [](const T& item) { return !run::plausible(item); });
      if (items.empty()) {
        items = std::move(more);
      } else {
        std::ranges::move(more, std::back_inserter(items));
      }
    }
    if (!blocks_.sorted(block)) run::sort_by_time(items);
    return items;
  }

 private:
  std::vector<T> load_piece(StatedRow row) const {
    const std::lock_guard lock(file_->mutex);
    std::string_view payload;
    if (file_->reader.payload(row, payload)) {
      auto decoded = decode_events(payload, static_cast<const T*>(nullptr));
      if (decoded) return std::move(decoded->value);
    }
    file_->unread_events.insert(row.seq);
    return {};
  }

  std::shared_ptr<SealedFile> file_;
  EventBlocks blocks_;
};

class SealedPoints final : public run::RecordSource<run::Point> {
 public:
  SealedPoints(std::shared_ptr<SealedFile> file, ChunkBlocks blocks)
      : file_(std::move(file)), blocks_(std::move(blocks)) {}

  std::span<const run::RecordBlockInfo> blocks() const override { return blocks_.infos(); }

  std::vector<run::Point> load(std::size_t block) const override {
    std::vector<run::Point> points;
    points.reserve(blocks_.infos()[block].count);
    const std::lock_guard lock(file_->mutex);
    for (const auto& piece : blocks_.pieces(block)) {
      if (!file_->reader.decode(piece.place, file_->times, file_->values)) {
        file_->unread_chunks.insert(piece.place.id);
        continue;
      }
      for (std::size_t i = 0; i < file_->times.size(); ++i) {
        if (!run::plausible_ns(file_->times[i])) continue;
        points.push_back({file_->times[i], file_->values[i]});
      }
    }
    if (!blocks_.sorted(block)) run::sort_by_time(points);
    return points;
  }

 private:
  std::shared_ptr<SealedFile> file_;
  ChunkBlocks blocks_;
};

}  // namespace

template <typename T>
run::Records<T> sealed_events(std::shared_ptr<SealedFile> file, EventBlocks blocks) {
  return run::Records<T>(std::make_shared<SealedEvents<T>>(std::move(file), std::move(blocks)));
}
template run::Records<run::PhaseEvent> sealed_events(std::shared_ptr<SealedFile>, EventBlocks);
template run::Records<run::Batch> sealed_events(std::shared_ptr<SealedFile>, EventBlocks);
template run::Records<run::DevicePhase> sealed_events(std::shared_ptr<SealedFile>, EventBlocks);
template run::Records<run::NamedValue> sealed_events(std::shared_ptr<SealedFile>, EventBlocks);
template run::Records<run::DeviceActivity> sealed_events(std::shared_ptr<SealedFile>, EventBlocks);
template run::Records<run::HostSpan> sealed_events(std::shared_ptr<SealedFile>, EventBlocks);
template run::Records<run::TraceWindow> sealed_events(std::shared_ptr<SealedFile>, EventBlocks);

run::Records<run::Point> sealed_points(std::shared_ptr<SealedFile> file, ChunkBlocks blocks) {
  return run::Records<run::Point>(
      std::make_shared<SealedPoints>(std::move(file), std::move(blocks)));
}

}  // namespace flatout::store
