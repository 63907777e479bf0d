// The connections of an evhttp: how many there are, and since when each of them is silent. evhttp's
// own timeout begins anew with every byte, so that a client that sends one now and then would hold
// its connection for ever. One thread: that of the event_base.
#pragma once

#include <event2/bufferevent.h>

#include <chrono>
#include <cstddef>
#include <unordered_map>

namespace flatout::serve {

class Connections {
 public:
  using Clock = std::chrono::steady_clock;

  Connections() = default;
  ~Connections() { clear(); }
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  // A new one, for evhttp_set_bevcb. More than `most_unread` bytes stay with the kernel until
  // evhttp has taken some.
  bufferevent* make(event_base* base, std::size_t most_unread);
  // It has brought a whole request, and waits for its answer.
  void asked(bufferevent* connection);
  void answered(bufferevent* connection);
  // Ends those that are silent for longer, and forgets those that are closed.
  void sweep(Clock::duration silence);
  // Before the event_base ends.
  void clear();
  std::size_t size() const { return open_.size(); }

 private:
  struct Since {
    Clock::time_point silent = Clock::now();
    bool waits = false;
  };
  std::unordered_map<bufferevent*, Since> open_;  // a reference to each is held
};

}  // namespace flatout::serve
