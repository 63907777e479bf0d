// The connections of an evhttp: how many there are, whose they are, and since when each of them is
// silent. evhttp's own timeout begins anew with every byte, so that a client that sends one now and
// then would hold its connection for ever. A client that has not shown the token yet is a stranger:
// these have a share of the connections, in which the newest replaces the oldest. One thread: that
// of the event_base.
#pragma once

#include <event2/bufferevent.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace flatout::serve {

struct ConnectionLimits {
  std::size_t all = 256;
  std::size_t strangers = 128;  // of them
  // A whole request has to arrive in it, and an open connection may be silent for it.
  std::chrono::milliseconds silence{10'000};
  std::chrono::milliseconds stranger_silence{5'000};
  // So long one is left alone though others want its place.
  std::chrono::milliseconds grace{100};
};

// For a process that may have so many files open: some of them are for the runs that it reads.
ConnectionLimits within_files(ConnectionLimits wanted, std::uint64_t most_files,
                              std::size_t open_now);

// For this process, as it is now.
ConnectionLimits within_files(ConnectionLimits wanted);

class Connections {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Connections(ConnectionLimits limits = {}) : limits_(limits) {}
  ~Connections() { clear(); }
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  // A new one, for evhttp_set_bevcb. More than `most_unread` bytes stay with the kernel until
  // evhttp has taken some.
  bufferevent* make(event_base* base, std::size_t most_unread);
  // It has brought a whole request, and waits for its answer. `knows`: with the token.
  void asked(bufferevent* connection, bool knows);
  void answered(bufferevent* connection);
  // Lets go of those that are closed: it holds their descriptors. After each turn of the loop.
  void forget_closed();
  // True where one more may come; else an old one has to go, if there is one that may.
  bool has_room() const;
  void make_room(Clock::time_point now = Clock::now());
  // Ends those that are silent for too long.
  void sweep(Clock::time_point now = Clock::now());
  // Before the event_base ends.
  void clear();
  std::size_t size() const { return open_.size(); }

 private:
  struct Since {
    Clock::time_point silent;
    bool waits = false;
    bool stranger = true;
    std::size_t unsent = 0;  // of its answer, when somebody last looked
  };
  bool is_silent(bufferevent* connection, Since& since, Clock::time_point now) const;

  const ConnectionLimits limits_;
  std::unordered_map<bufferevent*, Since> open_;  // a reference to each is held
  std::size_t strangers_ = 0;
};

}  // namespace flatout::serve
