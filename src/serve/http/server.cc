#include "serve/http/server.h"

#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/listener.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <list>
#include <mutex>
#include <utility>

#include "base/file.h"
#include "serve/http/connections.h"
#include "serve/http/door.h"
#include "serve/http/notices.h"
#include "serve/http/received.h"
#include "serve/http/workers.h"

namespace flatout::serve {
namespace {

constexpr int kAllMethods = EVHTTP_REQ_GET | EVHTTP_REQ_HEAD | EVHTTP_REQ_PATCH | EVHTTP_REQ_POST |
                            EVHTTP_REQ_PUT | EVHTTP_REQ_DELETE | EVHTTP_REQ_OPTIONS |
                            EVHTTP_REQ_TRACE | EVHTTP_REQ_CONNECT;

Response failed(int status, const char* code, const char* message) {
  return {.status = status,
          .body = std::string(R"({"error":{"code":")") + code + R"(","message":")" + message +
                  "\"}}\n"};
}

int seconds_of(std::chrono::milliseconds period) {
  return static_cast<int>(std::chrono::ceil<std::chrono::seconds>(period).count());
}

}  // namespace

// Everything of it belongs to the thread of run(), but for post() and stop().
class Server::Loop {
 public:
  Loop(AtOnce at_once, Handler handler, ServerLimits limits)
      : at_once_(std::move(at_once)),
        handler_(std::move(handler)),
        limits_(limits),
        connections_(within_files(limits.connections)) {}
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop();

  base::Result<void> bind(int port);
  int port() const { return port_; }
  void run();
  void finish();
  void stop() {
    post([this] { end(); });
  }

 private:
  // One client that listens.
  struct Listener {
    evhttp_request* request = nullptr;
    evhttp_connection* connection = nullptr;  // of `request` until either is gone
    std::shared_ptr<Feed> feed;
    bool asking = false;  // a worker has it
    bool gone = false;
  };

  void post(std::function<void()> job);
  void take_posted();
  void on_request(evhttp_request* request);
  void time_writing_alone(bufferevent* connection) const;
  void send(evhttp_request* request, Method method, const Response& response);
  void start(evhttp_request* request, Response response);
  void ask_feeds();
  void tell(const std::shared_ptr<Listener>& listener, const std::optional<std::string>& text);
  void end();
  event* add_event(evutil_socket_t fd, short what, event_callback_fn call, const timeval* period);
  static void put_headers(evhttp_request* request, const Response& response);

  AtOnce at_once_;
  Handler handler_;
  const ServerLimits limits_;
  bool ended_ = false;
  event_base* base_ = nullptr;
  evhttp* http_ = nullptr;
  evconnlistener* listener_ = nullptr;
  int port_ = 0;
  base::UniqueFd wake_;
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;
  std::vector<event*> events_;
  std::list<std::shared_ptr<Listener>> listeners_;
  Notices notices_;
  Connections connections_;
  Door door_{connections_, notices_};
  std::unique_ptr<Workers> workers_;
};

Server::Loop::~Loop() {
  workers_.reset();  // the last answers are posted to nobody
  for (const auto& listener : listeners_) {
    evhttp_connection_set_closecb(listener->connection, nullptr, nullptr);
  }
  if (http_ != nullptr) evhttp_free(http_);
  for (event* one : events_) event_free(one);
  door_.clear();
  connections_.clear();
  if (base_ != nullptr) event_base_free(base_);
}

event* Server::Loop::add_event(evutil_socket_t fd, short what, event_callback_fn call,
                               const timeval* period) {
  event* made = event_new(base_, fd, what, call, this);
  if (made == nullptr) return nullptr;
  event_add(made, period);
  events_.push_back(made);
  return made;
}

base::Result<void> Server::Loop::bind(int port) {
  const auto refused = [](const std::string& what) {
    return base::fail(base::ErrorCode::kUnavailable, what);
  };
  base_ = event_base_new();
  http_ = base_ == nullptr ? nullptr : evhttp_new(base_);
  wake_ = base::UniqueFd(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (http_ == nullptr || !wake_) return refused("this machine gives no events to wait for");
  evhttp_set_max_headers_size(http_, static_cast<ssize_t>(limits_.header_bytes));
  evhttp_set_max_body_size(http_, static_cast<ssize_t>(limits_.body_bytes));
  evhttp_set_allowed_methods(http_, kAllMethods);
  evhttp_set_timeout(http_, seconds_of(limits_.connections.silence));
  evhttp_set_bevcb(
      http_,
      [](event_base* base, void* self) {
        auto* loop = static_cast<Loop*>(self);
        bufferevent* made = loop->connections_.make(base, loop->limits_.unread_bytes());
        loop->door_.came();
        return made;
      },
      this);
  evhttp_set_gencb(
      http_,
      [](evhttp_request* request, void* self) { static_cast<Loop*>(self)->on_request(request); },
      this);
  listener_ = listen_at(base_, port);
  evhttp_bound_socket* bound =
      listener_ == nullptr ? nullptr : evhttp_bind_listener(http_, listener_);
  if (bound == nullptr) {
    if (listener_ != nullptr) evconnlistener_free(listener_);
    return refused("port " + std::to_string(port) +
                   " of 127.0.0.1 is not available; leave --port out to take any that is free");
  }
  if (!door_.guard(base_, listener_)) return refused("this machine gives no events to wait for");
  // Accepted sockets take it over: the end of an answer waits for no acknowledgement of its
  // beginning, which comes 40 ms later.
  const int at_once = 1;
  (void)::setsockopt(evhttp_bound_socket_get_fd(bound), IPPROTO_TCP, TCP_NODELAY, &at_once,
                     sizeof at_once);
  // So little waits in the kernel that a client which takes its answer slowly is seen to do so.
  const int most_in_kernel = 256 << 10;
  (void)::setsockopt(evhttp_bound_socket_get_fd(bound), SOL_SOCKET, SO_SNDBUF, &most_in_kernel,
                     sizeof most_in_kernel);
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (::getsockname(evhttp_bound_socket_get_fd(bound), reinterpret_cast<sockaddr*>(&address),
                    &size) != 0) {
    return refused("the port of a socket cannot be asked for");
  }
  port_ = ntohs(address.sin_port);
  const timeval second{1, 0};
  const auto period = limits_.feed_period;
  const timeval feeds{static_cast<time_t>(period.count() / 1000),
                      static_cast<suseconds_t>(period.count() % 1000 * 1000)};
  add_event(
      wake_.get(), EV_READ | EV_PERSIST,
      [](evutil_socket_t, short, void* self) { static_cast<Loop*>(self)->take_posted(); }, nullptr);
  add_event(
      -1, EV_PERSIST,
      [](evutil_socket_t, short, void* self) {
        static_cast<Loop*>(self)->connections_.sweep();
        static_cast<Loop*>(self)->notices_.flush();
      },
      &second);
  add_event(
      -1, EV_PERSIST,
      [](evutil_socket_t, short, void* self) { static_cast<Loop*>(self)->ask_feeds(); }, &feeds);
  return {};
}

void Server::Loop::run() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    add_event(
        signal, EV_SIGNAL | EV_PERSIST,
        [](evutil_socket_t, short, void* self) { static_cast<Loop*>(self)->end(); }, nullptr);
  }
  ::signal(SIGPIPE, SIG_IGN);
  workers_ = std::make_unique<Workers>(limits_.workers, limits_.waiting_requests);
  while (!ended_ && event_base_loop(base_, EVLOOP_ONCE) == 0) door_.settle();
  evconnlistener_disable(listener_);
}

void Server::Loop::finish() {
  workers_.reset();
  take_posted();
}

void Server::Loop::end() {
  ended_ = true;
  event_base_loopbreak(base_);
}

void Server::Loop::post(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(job));
  }
  const std::uint64_t one = 1;
  (void)!::write(wake_.get(), &one, sizeof one);
}

void Server::Loop::take_posted() {
  std::uint64_t count = 0;
  (void)!::read(wake_.get(), &count, sizeof count);
  std::vector<std::function<void()>> jobs;
  {
    const std::lock_guard lock(mutex_);
    jobs.swap(posted_);
  }
  for (const auto& job : jobs) job();
}

void Server::Loop::on_request(evhttp_request* raw) {
  auto request = std::make_shared<const Request>(read_request(raw));
  First first = at_once_(*request);
  if (evhttp_connection* connection = evhttp_request_get_connection(raw)) {
    connections_.asked(evhttp_connection_get_bufferevent(connection), first.knows);
  }
  if (first.response) {
    // A stranger's place is for the next one.
    if (!first.knows) first.response->headers.emplace_back("Connection", "close");
    return send(raw, request->method, *first.response);
  }
  const bool taken = workers_->add([this, raw, request] {
    auto response = std::make_shared<Response>();
    try {
      *response = handler_(*request);
    } catch (const std::exception& problem) {
      *response = failed(500, "internal", "the answer could not be made");
      notices_.add(std::string("internal error: ") + problem.what());
    }
    post([this, raw, request, response] {
      if (response->feed) return start(raw, std::move(*response));
      send(raw, request->method, *response);
    });
  });
  if (!taken) send(raw, request->method, failed(429, "busy", "too many requests wait; try again"));
}

void Server::Loop::put_headers(evhttp_request* request, const Response& response) {
  evkeyvalq* headers = evhttp_request_get_output_headers(request);
  if (!response.content_type.empty()) {
    evhttp_add_header(headers, "Content-Type", response.content_type.c_str());
  }
  for (const auto& [name, value] : response.headers) {
    evhttp_add_header(headers, name.c_str(), value.c_str());
  }
}

// A client that takes an answer says nothing meanwhile, and evhttp would end it for that. How long
// it is silent otherwise is for connections_ to see.
void Server::Loop::time_writing_alone(bufferevent* connection) const {
  const timeval silence{seconds_of(limits_.connections.silence), 0};
  bufferevent_set_timeouts(connection, nullptr, &silence);
}

// The client may be gone: libevent then only frees the request.
void Server::Loop::send(evhttp_request* request, Method method, const Response& response) {
  put_headers(request, response);
  const std::string_view body =
      response.fixed_body.empty() ? std::string_view(response.body) : response.fixed_body;
  evbuffer* out = evbuffer_new();
  if (method == Method::kHead) {
    evhttp_add_header(evhttp_request_get_output_headers(request), "Content-Length",
                      std::to_string(body.size()).c_str());
  } else {
    evbuffer_add(out, body.data(), body.size());
  }
  if (evhttp_connection* connection = evhttp_request_get_connection(request)) {
    bufferevent* buffered = evhttp_connection_get_bufferevent(connection);
    connections_.answered(buffered);
    time_writing_alone(buffered);
  }
  evhttp_send_reply(request, response.status, nullptr, out);
  evbuffer_free(out);
}

void Server::Loop::start(evhttp_request* request, Response response) {
  evhttp_connection* connection = evhttp_request_get_connection(request);
  if (connection == nullptr) return send(request, Method::kGet, response);  // which frees it
  if (listeners_.size() >= limits_.feeds) {
    return send(request, Method::kGet,
                failed(429, "busy", "too many clients listen; close another page"));
  }
  auto listener = std::make_shared<Listener>();
  listener->request = request;
  listener->connection = connection;
  listener->feed = std::move(response.feed);
  listeners_.push_back(listener);
  response.content_type = "text/event-stream";
  put_headers(request, response);
  evhttp_send_reply_start(request, 200, nullptr);
  time_writing_alone(evhttp_connection_get_bufferevent(connection));
  evhttp_connection_set_closecb(
      connection,
      [](evhttp_connection* closing, void* self) {
        auto& all = static_cast<Loop*>(self)->listeners_;
        std::erase_if(all, [&](const auto& one) {
          if (one->connection != closing) return false;
          one->gone = true;
          // One that it has let go of is ours to free.
          if (evhttp_request_get_connection(one->request) == nullptr) {
            evhttp_send_reply_end(one->request);
          }
          return true;
        });
      },
      this);
  tell(listener, ": flatout\n\n");
  ask_feeds();
}

void Server::Loop::ask_feeds() {
  for (const auto& listener : listeners_) {
    if (listener->asking) continue;
    listener->asking = workers_->add([this, listener] {
      std::optional<std::string> text;
      try {
        text = listener->feed->next();
      } catch (const std::exception& problem) {
        notices_.add(std::string("internal error: ") + problem.what());
      }
      post([this, listener, text = std::move(text)] {
        listener->asking = false;
        if (!listener->gone) tell(listener, text);
      });
    });
  }
}

// Ends the answer where there is no text.
void Server::Loop::tell(const std::shared_ptr<Listener>& listener,
                        const std::optional<std::string>& text) {
  evhttp_connection* connection = listener->connection;
  bufferevent* buffered = evhttp_connection_get_bufferevent(connection);
  if (!text) {
    const auto kept = listener;
    listener->gone = true;
    listeners_.remove(kept);
    evhttp_connection_set_closecb(connection, nullptr, nullptr);
    connections_.answered(buffered);
    return evhttp_send_reply_end(listener->request);
  }
  if (text->empty()) return;
  if (evbuffer_get_length(bufferevent_get_output(buffered)) > limits_.unsent_bytes) {
    return bufferevent_trigger_event(buffered, BEV_EVENT_WRITING | BEV_EVENT_TIMEOUT, 0);
  }
  evbuffer* out = evbuffer_new();
  evbuffer_add(out, text->data(), text->size());
  evhttp_send_reply_chunk(listener->request, out);
  evbuffer_free(out);
}

Server::Server(std::unique_ptr<Loop> loop) : loop_(std::move(loop)) {}
Server::~Server() = default;

base::Result<std::unique_ptr<Server>> Server::bind(int port, AtOnce at_once, Handler handler,
                                                   ServerLimits limits) {
  auto loop = std::make_unique<Loop>(std::move(at_once), std::move(handler), limits);
  if (auto bound = loop->bind(port); !bound) return std::unexpected(bound.error());
  return std::unique_ptr<Server>(new Server(std::move(loop)));
}

int Server::port() const { return loop_->port(); }
void Server::run() { loop_->run(); }
void Server::finish() { loop_->finish(); }
void Server::stop() { loop_->stop(); }

}  // namespace flatout::serve
