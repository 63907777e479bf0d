// The begin and end events of one lane as edges that nest for certain: every
// begin has one end, ends are in order, time never runs back.
//
// A recording can be damaged (records dropped when nobody drained the ring, a
// process killed inside a span). What is repaired, and how:
//   - an end that nothing opened is dropped, except that of an optimizer: it
//     still reports that an update ended;
//   - an end closes what was left open inside its span;
//   - a begin closes open spans that cannot hold it: the hooks never open a
//     forward inside a draw or a draw inside a forward, so the outer one's end
//     was lost;
//   - the end of a step as the program marks it closes what is open;
//   - at the end of the stream everything open is closed at the last event.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "run/event.h"

namespace flatout::run {

struct Edge {
  std::int64_t t_ns = 0;
  Phase phase = Phase::kOther;
  bool begin = false;
  bool implied = false;     // an end that was not in the stream
  bool outermost = false;   // no span of the same kind (draw, forward, ...) is around it
  std::uint32_t id = 0;     // of a span: the end's id where the end has one, else the begin's
  std::uint32_t flags = 0;  // of a span: begin's and end's together
  std::uint64_t value = 0;  // of a span: the end's value where it has one, else the begin's
  friend bool operator==(const Edge&, const Edge&) = default;
};

// Spans that the program marked itself (kMarked) may hold any other kind and
// may lie in any, but not in their own kind: the library does not write that.
//
// A marked end of a step is one edge alone, not a begin, with its samples as value.
// Both edges of a span carry the same id, flags and value. kOther and kinds
// out of range are ignored. An optimizer end without begin becomes a span of
// no length.
std::vector<Edge> nest(std::span<const PhaseEvent> events);

// The same of events that come one after the other: the edges are handed on in pieces, each when
// nothing is open at its end, so that what is held is bounded by the longest outermost span.
class Nester {
 public:
  using Take = std::function<void(std::span<const Edge>)>;
  // Spans live until `take` returns.
  explicit Nester(Take take) : take_(std::move(take)) {}

  void add(const PhaseEvent& event);
  // Closes what is open; nothing may be added after it.
  void finish();

 private:
  bool can_hold(const Edge& outer, const PhaseEvent& inner) const;
  int optimizers_open() const;
  void begin(const PhaseEvent& event);
  void name_marked_draw(const PhaseEvent& inner);
  void step(const PhaseEvent& event);
  void end(const PhaseEvent& event);
  void close_down_to(std::size_t depth);
  void close_top(bool implied, const PhaseEvent& event);
  void hand_on();

  Take take_;
  std::vector<Edge> edges_;        // since the last piece
  std::vector<std::size_t> open_;  // indices of begin edges
  std::int64_t now_ = std::numeric_limits<std::int64_t>::min();
};

}  // namespace flatout::run
