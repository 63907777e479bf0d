// An HTTP/1.1 server for one machine's user: one thread waits for clients and does all that is
// quick, a few workers make the answers. A client that is slow, silent or gone holds a socket for
// some seconds and nothing else.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "base/result.h"
#include "serve/http/message.h"

namespace flatout::serve {

struct ServerLimits {
  std::size_t workers = 3;
  std::size_t waiting_requests = 64;  // for a worker; more are answered with 429
  std::size_t connections = 128;      // more wait to be accepted
  std::size_t feeds = 24;             // clients that listen; more are answered with 429
  std::size_t header_bytes = 16U << 10;
  std::size_t body_bytes = 64U << 10;
  // Of a client, in memory: the largest request, twice.
  std::size_t unread_bytes() const { return 2 * (header_bytes + body_bytes); }
  // Not read by a client that listens: above it, the client is dropped.
  std::size_t unsent_bytes = 256U << 10;
  // A whole request has to arrive in it, and an open connection may be silent for it.
  std::chrono::seconds silence{10};
  std::chrono::milliseconds feed_period{1000};
};

class Server {
 public:
  // On the thread that waits: an answer, or nothing where a worker is to make it. Quick.
  using AtOnce = std::function<std::optional<Response>(const Request&)>;
  // On a worker; several at once. What it throws becomes a 500.
  using Handler = std::function<Response(const Request&)>;

  // 127.0.0.1 only; `port` 0: any that is free. kUnavailable: the port is taken.
  static base::Result<std::unique_ptr<Server>> bind(int port, AtOnce at_once, Handler handler,
                                                    ServerLimits limits = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const;
  // Until SIGINT, SIGTERM or SIGHUP comes, or stop() is called; then waits for the workers. Once.
  void run();
  // Any thread.
  void stop();

 private:
  class Loop;
  explicit Server(std::unique_ptr<Loop> loop);
  std::unique_ptr<Loop> loop_;
};

}  // namespace flatout::serve
