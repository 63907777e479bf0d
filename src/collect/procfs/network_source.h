// Bytes received and sent, from /proc/net/dev: of the network namespace that
// flatout is in, which in a container is the container's. The loopback, and
// interfaces that stand on others (bonds, bridges, VLANs, tunnels), are left
// out: what passes them either stays here or is counted below them. Where there
// is nothing else (a rootless container has but a tap), they are what counts.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "collect/rate.h"
#include "host/paths.h"
#include "run/source.h"

namespace flatout::collect {

// One line of /proc/net/dev. Absent for its heading or a line that is not whole.
struct InterfaceLine {
  std::string_view name;
  std::uint64_t received_bytes = 0;
  std::uint64_t sent_bytes = 0;
};
std::optional<InterfaceLine> parse_interface_line(std::string_view line);

class NetworkSource final : public run::Source {
 public:
  explicit NetworkSource(host::Paths paths) : paths_(std::move(paths)) {}
  std::string_view name() const override { return "network"; }
  base::Result<void> sample(base::TimeNs now, run::SampleSink& out) override;

 private:
  struct Interface {
    bool alone = false;  // stands on no other
    Counter received;
    Counter sent;
  };
  Interface* interface_of(std::string_view name);  // null: not to be counted
  bool stands_alone(std::string_view name) const;

  host::Paths paths_;
  std::map<std::string, Interface, std::less<>> interfaces_;
};

}  // namespace flatout::collect
