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
#include "serve/http/connections.h"
#include "serve/http/message.h"

namespace flatout::serve {

struct ServerLimits {
  std::size_t workers = 3;
  std::size_t waiting_requests = 64;  // for a worker; more are answered with 429
  ConnectionLimits connections = {};  // fewer where the process may not open so many files
  std::size_t feeds = 24;             // clients that listen; more are answered with 429
  std::size_t header_bytes = 16U << 10;
  std::size_t body_bytes = 64U << 10;
  // Of a client, in memory: the largest request, twice.
  std::size_t unread_bytes() const { return 2 * (header_bytes + body_bytes); }
  // Not read by a client that listens: above it, the client is dropped.
  std::size_t unsent_bytes = 256U << 10;
  std::chrono::milliseconds feed_period{1000};
};

class Server {
 public:
  struct First {
    bool knows = false;  // who asks has the token; workers answer nobody else
    std::optional<Response> response = {};
  };
  // On the thread that waits: an answer, or nothing where a worker is to make it. Quick.
  using AtOnce = std::function<First(const Request&)>;
  // On a worker; several at once. What it throws becomes a 500.
  using Handler = std::function<Response(const Request&)>;

  // 127.0.0.1 only; `port` 0: any that is free. kUnavailable: the port is taken.
  static base::Result<std::unique_ptr<Server>> bind(int port, AtOnce at_once, Handler handler,
                                                    ServerLimits limits = {});
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  int port() const;
  // Until SIGINT, SIGTERM or SIGHUP comes, or stop() is called. Once.
  void run();
  // After it: waits for what the workers are at.
  void finish();
  // Any thread.
  void stop();

 private:
  class Loop;
  explicit Server(std::unique_ptr<Loop> loop);
  std::unique_ptr<Loop> loop_;
};

}  // namespace flatout::serve
