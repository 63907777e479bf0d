#include "serve/http/door.h"

#include <netinet/in.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace flatout::serve {
namespace {

constexpr timeval kSoon{0, 20'000};
constexpr std::chrono::milliseconds kAfterRefusal{100};

// Why the kernel gave no connection, 0 = it did. libevent passes it with evhttp's argument, of
// which nobody else has the type: so it waits here for settle(), which the same thread calls.
thread_local int accept_error = 0;

}  // namespace

// Behind a full queue the kernel throws clients away, and these try again only seconds later.
evconnlistener* listen_at(event_base* base, int port) {
  constexpr int kQueue = 1024;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return evconnlistener_new_bind(
      base, nullptr, nullptr, LEV_OPT_REUSEABLE | LEV_OPT_CLOSE_ON_EXEC | LEV_OPT_CLOSE_ON_FREE,
      kQueue, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

void Door::clear() {
  if (soon_ != nullptr) event_free(soon_);
  soon_ = nullptr;
}

bool Door::guard(event_base* base, evconnlistener* listener) {
  listener_ = listener;
  // It only ends a wait of the loop, which then settles.
  soon_ = event_new(base, -1, 0, [](evutil_socket_t, short, void*) {}, nullptr);
  evconnlistener_set_error_cb(listener, [](evconnlistener* of, void*) {
    accept_error = errno;
    evconnlistener_disable(of);
  });
  return soon_ != nullptr;
}

void Door::came() {
  if (!connections_.has_room()) shut();
}

void Door::shut() {
  if (open_) evconnlistener_disable(listener_);
  open_ = false;
}

// Without a pause accept(2) would be refused again and again: the listener is always ready.
void Door::refused(int err) {
  notices_.add(std::string("a connection has to wait: ") + std::strerror(err) +
               (err == EMFILE ? "; raise `ulimit -n`" : ""));
  not_before_ = Connections::Clock::now() + kAfterRefusal;
  shut();
}

void Door::settle() {
  const auto now = Connections::Clock::now();
  if (const int err = std::exchange(accept_error, 0); err != 0) refused(err);
  connections_.forget_closed();
  connections_.make_room(now);
  if (connections_.has_room() && now >= not_before_) {
    if (!open_) evconnlistener_enable(listener_);
    open_ = true;
    return;
  }
  shut();
  if (event_pending(soon_, EV_TIMEOUT, nullptr) == 0) event_add(soon_, &kSoon);
}

}  // namespace flatout::serve
