// Why a device idles. What each cause stands for, and how a gap gets it:
// analyse/kernels/idle_account.h. The names stand in reports; never give one another meaning.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace flatout::run {

enum class IdleCause : std::uint8_t {
  kData,
  kCopy,
  kLaunch,
  kSync,
  kPeer,
  kStartup,
  kCheckpoint,
  kThrottle,
  kUnexplained,
};
constexpr std::size_t kIdleCauses = static_cast<std::size_t>(IdleCause::kUnexplained) + 1;

constexpr std::array<std::string_view, kIdleCauses> kIdleCauseNames = {
    "data", "copy", "launch", "sync", "peer", "startup", "checkpoint", "throttle", "unexplained"};
constexpr std::string_view idle_cause_name(IdleCause cause) {
  return kIdleCauseNames[static_cast<std::size_t>(cause)];
}

}  // namespace flatout::run
