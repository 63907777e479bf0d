#include "serve/http/connections.h"

#include <event2/event.h>

#include <vector>

namespace flatout::serve {
namespace {

// evhttp takes its callbacks back when it lets go of a connection.
bool closed(bufferevent* connection) {
  bufferevent_event_cb event = nullptr;
  bufferevent_getcb(connection, nullptr, nullptr, &event, nullptr);
  return event == nullptr;
}

}  // namespace

void Connections::clear() {
  for (const auto& [connection, since] : open_) bufferevent_decref(connection);
  open_.clear();
}

bufferevent* Connections::make(event_base* base, std::size_t most_unread) {
  bufferevent* connection = bufferevent_socket_new(base, -1, BEV_OPT_CLOSE_ON_FREE);
  if (connection == nullptr) return nullptr;
  // evhttp refuses what is too large, and then would hold whatever still comes.
  bufferevent_setwatermark(connection, EV_READ, 0, most_unread);
  bufferevent_incref(connection);
  open_.emplace(connection, Since{});
  return connection;
}

void Connections::asked(bufferevent* connection) {
  if (const auto found = open_.find(connection); found != open_.end()) found->second.waits = true;
}

void Connections::answered(bufferevent* connection) {
  if (const auto found = open_.find(connection); found != open_.end()) found->second = Since{};
}

void Connections::sweep(Clock::duration silence) {
  const auto now = Clock::now();
  std::vector<bufferevent*> silent;
  for (auto it = open_.begin(); it != open_.end();) {
    if (closed(it->first)) {
      bufferevent_decref(it->first);
      it = open_.erase(it);
      continue;
    }
    if (!it->second.waits && now - it->second.silent > silence) silent.push_back(it->first);
    ++it;
  }
  for (bufferevent* connection : silent) {
    bufferevent_trigger_event(connection, BEV_EVENT_READING | BEV_EVENT_TIMEOUT, 0);
  }
}

}  // namespace flatout::serve
