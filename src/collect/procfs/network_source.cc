#include "collect/procfs/network_source.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "host/text_fields.h"
#include "host/text_file.h"

namespace flatout::collect {
namespace {

constexpr std::size_t kMaxInterfaces = 4096;  // names remembered

// Those whose packets pass another interface as well, though sysfs does not say so.
bool is_virtual(std::string_view name) {
  constexpr std::array<std::string_view, 10> kPrefixes = {"veth", "tun", "tap", "wg",  "ifb",
                                                          "ipip", "sit", "gre", "vti", "dummy"};
  return std::ranges::any_of(kPrefixes, [&](auto prefix) { return name.starts_with(prefix); });
}

struct Traffic {
  int interfaces = 0;
  std::optional<double> received;  // bytes a second
  std::optional<double> sent;

  void add(std::optional<double> more_received, std::optional<double> more_sent) {
    ++interfaces;
    if (more_received) received = received.value_or(0) + *more_received;
    if (more_sent) sent = sent.value_or(0) + *more_sent;
  }
};

}  // namespace

std::optional<InterfaceLine> parse_interface_line(std::string_view line) {
  const auto colon = line.rfind(':');  // an alias has one in its name
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view before = line.substr(0, colon);
  InterfaceLine interface{.name = host::next_word(before)};
  if (interface.name.empty()) return std::nullopt;
  std::string_view rest = line.substr(colon + 1);
  // Bytes, packets, errors, drops, fifo, frame, compressed, multicast; the same sent.
  for (int field = 0; field < 9; ++field) {
    const auto value = host::next_number<std::uint64_t>(rest);
    if (!value) return std::nullopt;
    if (field == 0) interface.received_bytes = *value;
    if (field == 8) interface.sent_bytes = *value;
  }
  return rest.empty() ? std::nullopt : std::optional(interface);
}

base::Result<void> NetworkSource::sample(base::TimeNs now, run::SampleSink& out) {
  auto text = host::read_text(paths_.proc / "net/dev");
  Traffic alone;
  Traffic standing;
  std::string_view line;
  while (text && host::next_line(*text, line)) {
    const auto seen = parse_interface_line(line);
    Interface* interface = seen ? interface_of(seen->name) : nullptr;
    if (interface == nullptr) continue;
    Traffic& sum = interface->alone ? alone : standing;
    sum.add(interface->received.per_second(seen->received_bytes, now),
            interface->sent.per_second(seen->sent_bytes, now));
  }
  const auto add = [&](run::Metric metric, std::optional<double> value) {
    if (value) out.add({.t_ns = now, .value = *value, .metric = metric});
  };
  const Traffic& sum = alone.interfaces > 0 ? alone : standing;
  add(run::Metric::kHostNetworkReceived, sum.received);
  add(run::Metric::kHostNetworkSent, sum.sent);
  return {};
}

NetworkSource::Interface* NetworkSource::interface_of(std::string_view name) {
  if (const auto known = interfaces_.find(name); known != interfaces_.end()) {
    return &known->second;
  }
  if (name == "lo" || interfaces_.size() >= kMaxInterfaces) return nullptr;
  Interface& added = interfaces_[std::string(name)];
  added.alone = stands_alone(name);
  return &added;
}

// An interface that stands on others has a link "lower_eth0" for each of them.
bool NetworkSource::stands_alone(std::string_view name) const {
  if (is_virtual(name) || name.find('/') != std::string_view::npos) return false;
  std::error_code error;
  std::filesystem::directory_iterator it(paths_.root / "sys/class/net" / name, error);
  for (; !error && it != std::filesystem::directory_iterator(); it.increment(error)) {
    if (it->path().filename().native().starts_with("lower_")) return false;
  }
  return true;
}

}  // namespace flatout::collect
