// Writes a trace in Chrome's format, which ui.perfetto.dev, chrome://tracing and flatout itself
// open, event by event: what is held is one piece of about a megabyte. Categories and args of
// kernels are those of PyTorch's profiler, in whose traces other tools look for them.
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU describes it.
//
// Viewers draw a lane's events only where they nest: keeping overlaps apart is the caller's work.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "run/device.h"
#include "run/timeline.h"

namespace flatout::report {

// Numbers by which a file tells its lanes apart; `process` groups them.
struct TraceLane {
  std::int64_t process = 0;
  std::int64_t thread = 0;
  friend auto operator<=>(const TraceLane&, const TraceLane&) = default;
};

// One thread. An event that was begun takes args until the next one begins.
class TraceJson {
 public:
  using Sink = std::function<base::Result<void>(std::string_view)>;
  explicit TraceJson(Sink sink) : sink_(std::move(sink)) {}

  // What stands in front of the events: devices and rank of the Timeline, and where its times begin
  // on the wall clock. Times of a run of flatout's own are written from its start; those of a trace
  // as they are, so that it can be held against its file. First, and once.
  void begin(const run::Timeline& timeline);

  // Of [begin_ns, end_ns); one that ends before it begins has no length.
  TraceJson& span(TraceLane lane, std::string_view category, std::string_view name,
                  std::int64_t begin_ns, std::int64_t end_ns);
  // A moment of a lane.
  TraceJson& moment(TraceLane lane, std::string_view category, std::string_view name,
                    std::int64_t t_ns);
  // An arrow from the span that holds from_ns on one lane to the span that holds to_ns on another.
  // `id` is the arrow's own in this file.
  void arrow(std::uint64_t id, TraceLane from, std::int64_t from_ns, TraceLane to,
             std::int64_t to_ns);
  // A reading of a process's counter. Left out where the value is not finite.
  void reading(std::int64_t process, std::string_view counter, std::string_view unit,
               std::int64_t t_ns, double value);
  // Lower `order` stands higher.
  void name_process(std::int64_t process, std::string_view name, std::int64_t order);
  void name_lane(TraceLane lane, std::string_view name, std::int64_t order);

  template <std::integral T>
  TraceJson& arg(std::string_view key, T value) {
    begin_arg(key);
    if constexpr (std::same_as<T, bool>) {
      text_ += value ? "true" : "false";
    } else {
      text_ += std::to_string(value);
    }
    return *this;
  }
  TraceJson& arg(std::string_view key, std::string_view value);
  TraceJson& arg(std::string_view key, const char* value) {
    return arg(key, std::string_view(value));
  }
  TraceJson& real_arg(std::string_view key, double value);
  // As milliseconds.
  TraceJson& ms_arg(std::string_view key, std::int64_t ns);

  // Whether the sink refused a piece: what is written since is lost.
  bool failed() const { return !done_; }
  // Closes the file. The sink's first error.
  base::Result<void> finish();

 private:
  void device_properties(int index, const run::Device& device);
  void begin_event(char phase, TraceLane lane);
  void end_event();
  void begin_arg(std::string_view key);
  void member(std::string_view key);
  void time(std::string_view key, std::int64_t ns);
  void microseconds(std::int64_t ns);
  void string(std::string_view text);
  void real(double value);
  void flow(char phase, std::uint64_t id, TraceLane lane, std::int64_t t_ns);
  void metadata(std::string_view what, TraceLane lane);
  void flush();

  Sink sink_;
  std::string text_;
  base::Result<void> done_;
  std::int64_t zero_ns_ = 0;
  bool any_event_ = false;
  bool in_event_ = false;
  bool in_args_ = false;
};

}  // namespace flatout::report
