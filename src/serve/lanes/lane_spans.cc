#include "serve/lanes/lane_spans.h"

#include <algorithm>

namespace flatout::serve {

std::uint32_t LaneNames::number_of(std::string_view text, std::string_view kind) {
  const auto next = static_cast<std::uint32_t>(all_.size());
  const auto [known, fresh] =
      numbers_.try_emplace(std::pair(std::string(text), std::string(kind)), next);
  if (fresh) all_.push_back({known->first.first, known->first.second});
  return known->second;
}

LaneSpans::LaneSpans(analyse::TimeWindow window, std::size_t columns)
    : window_(window),
      pixel_ns_(std::max<std::int64_t>(
          1, (window.end_ns - window.begin_ns) /
                 static_cast<std::int64_t>(std::max<std::size_t>(columns, 1)))) {}

void LaneSpans::add(std::int64_t begin_ns, std::int64_t end_ns, std::uint32_t name) {
  std::int64_t from_ns = std::max(begin_ns, window_.begin_ns);
  if (longest_ns_ > 0) {
    from_ns = std::max(from_ns, group_.end_ns);
  } else if (!spans_.empty()) {
    from_ns = std::max(from_ns, spans_.back().end_ns);
  }
  const std::int64_t to_ns = std::min(end_ns, window_.end_ns);
  const std::int64_t length = to_ns - from_ns;
  if (length <= 0) return;
  if (length >= pixel_ns_) {
    end_group();
    spans_.push_back({from_ns, to_ns, length, name, 1});
    return;
  }
  if (longest_ns_ > 0 && to_ns - group_.begin_ns > pixel_ns_) end_group();
  if (longest_ns_ == 0) group_ = {from_ns, to_ns, 0, name, 0};
  group_.end_ns = to_ns;
  group_.filled_ns += length;
  ++group_.count;
  if (length <= longest_ns_) return;
  longest_ns_ = length;
  group_.name = name;
}

void LaneSpans::end_group() {
  if (longest_ns_ > 0) spans_.push_back(group_);
  longest_ns_ = 0;
}

std::vector<LaneSpan> LaneSpans::taken() {
  end_group();
  return std::move(spans_);
}

}  // namespace flatout::serve
