// Takes new connections while there is room for them. One thread: that of the event_base.
#pragma once

#include <event2/event.h>
#include <event2/listener.h>

#include <chrono>

#include "serve/http/connections.h"
#include "serve/http/notices.h"

namespace flatout::serve {

// A door of 127.0.0.1; null where the port is taken.
evconnlistener* listen_at(event_base* base, int port);

class Door {
 public:
  Door(Connections& connections, Notices& notices) : connections_(connections), notices_(notices) {}
  ~Door() { clear(); }
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  // `listener` outlives it. False: no event to be had.
  bool guard(event_base* base, evconnlistener* listener);
  // One more has come.
  void came();
  // After each turn of the loop: opens where there is room, else makes some and looks again soon.
  void settle();
  // Before the event_base ends.
  void clear();

 private:
  void shut();
  void refused(int err);

  Connections& connections_;
  Notices& notices_;
  evconnlistener* listener_ = nullptr;
  event* soon_ = nullptr;
  bool open_ = true;
  Connections::Clock::time_point not_before_;
};

}  // namespace flatout::serve
