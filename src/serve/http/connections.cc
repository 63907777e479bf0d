#include "serve/http/connections.h"

#include <event2/buffer.h>
#include <event2/event.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

namespace flatout::serve {
namespace {

// evhttp takes its callbacks back when it lets go of a connection.
bool closed(bufferevent* connection) {
  bufferevent_event_cb event = nullptr;
  bufferevent_getcb(connection, nullptr, nullptr, &event, nullptr);
  return event == nullptr;
}

// evhttp then closes it, and says nothing.
void end(bufferevent* connection) {
  bufferevent_trigger_event(connection, BEV_EVENT_READING | BEV_EVENT_TIMEOUT, 0);
}

std::uint64_t most_files() {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 256;
}

std::size_t open_files() {
  std::error_code error;
  std::size_t count = 0;
  for (std::filesystem::directory_iterator it("/proc/self/fd", error), end; !error && it != end;
       it.increment(error)) {
    ++count;
  }
  return count;
}

}  // namespace

ConnectionLimits within_files(ConnectionLimits wanted, std::uint64_t most_files,
                              std::size_t open_now) {
  constexpr std::uint64_t kForRuns = 96;  // logs and catalogs that workers read
  constexpr std::uint64_t kLeast = 8;
  const std::uint64_t taken = open_now + kForRuns;
  const std::uint64_t left = most_files > taken ? most_files - taken : 0;
  wanted.all = std::min<std::uint64_t>(wanted.all, std::max(left, kLeast));
  wanted.strangers = std::min(wanted.strangers, wanted.all / 2);
  return wanted;
}

ConnectionLimits within_files(ConnectionLimits wanted) {
  return within_files(wanted, most_files(), open_files());
}

void Connections::clear() {
  for (const auto& [connection, since] : open_) bufferevent_decref(connection);
  open_.clear();
  strangers_ = 0;
}

bufferevent* Connections::make(event_base* base, std::size_t most_unread) {
  bufferevent* connection = bufferevent_socket_new(base, -1, BEV_OPT_CLOSE_ON_FREE);
  if (connection == nullptr) return nullptr;
  // evhttp refuses what is too large, and then would hold whatever still comes.
  bufferevent_setwatermark(connection, EV_READ, 0, most_unread);
  bufferevent_incref(connection);
  open_.emplace(connection, Since{.silent = Clock::now()});
  ++strangers_;
  return connection;
}

void Connections::asked(bufferevent* connection, bool knows) {
  const auto found = open_.find(connection);
  if (found == open_.end()) return;
  Since& since = found->second;
  if (since.stranger && knows) --strangers_;
  since.stranger = since.stranger && !knows;
  since.waits = true;
}

void Connections::answered(bufferevent* connection) {
  const auto found = open_.find(connection);
  if (found == open_.end()) return;
  found->second.waits = false;
  found->second.silent = Clock::now();
}

void Connections::forget_closed() {
  for (auto it = open_.begin(); it != open_.end();) {
    if (!closed(it->first)) {
      ++it;
      continue;
    }
    if (it->second.stranger) --strangers_;
    bufferevent_decref(it->first);
    it = open_.erase(it);
  }
}

bool Connections::has_room() const {
  return open_.size() < limits_.all && strangers_ < limits_.strangers;
}

// A stranger first: a page that is looked at now and then keeps its connection.
void Connections::make_room(Clock::time_point now) {
  if (has_room()) return;
  bufferevent* oldest = nullptr;
  const Since* oldest_since = nullptr;
  for (const auto& [connection, since] : open_) {
    const bool may_go = !since.waits && now - since.silent >= limits_.grace &&
                        (since.stranger || strangers_ < limits_.strangers);
    if (!may_go) continue;
    const bool before = oldest == nullptr || (since.stranger != oldest_since->stranger
                                                  ? since.stranger
                                                  : since.silent < oldest_since->silent);
    if (!before) continue;
    oldest = connection;
    oldest_since = &since;
  }
  if (oldest == nullptr) return;
  end(oldest);
  forget_closed();
}

// A client that takes its answer, however slowly, is not silent.
bool Connections::is_silent(bufferevent* connection, Since& since, Clock::time_point now) const {
  if (since.waits) return false;
  const std::size_t unsent = evbuffer_get_length(bufferevent_get_output(connection));
  if (unsent < since.unsent) since.silent = now;
  since.unsent = unsent;
  return now - since.silent > (since.stranger ? limits_.stranger_silence : limits_.silence);
}

void Connections::sweep(Clock::time_point now) {
  forget_closed();
  std::vector<bufferevent*> silent;
  for (auto& [connection, since] : open_) {
    if (is_silent(connection, since, now)) silent.push_back(connection);
  }
  for (bufferevent* connection : silent) end(connection);
  forget_closed();
}

}  // namespace flatout::serve
