#include "launch/ring_memory.h"

#include <sys/ipc.h>
#include <sys/shm.h>
#include <unistd.h>

#include <bit>
#include <charconv>
#include <cstddef>
#include <string_view>

#include "launch/plan.h"

namespace flatout::launch {
namespace {

bool grants_a_segment() {
  const int id = ::shmget(IPC_PRIVATE, kRingTrialBytes, IPC_CREAT | IPC_EXCL | 0600);
  if (id < 0) return false;
  void* at = ::shmat(id, nullptr, 0);
  ::shmctl(id, IPC_RMID, nullptr);
  if (reinterpret_cast<std::ptrdiff_t>(at) == -1) return false;
  ::shmdt(at);
  return true;
}

// What a unit multiplies by; 0 = no unit.
std::uint64_t factor_of(std::string_view unit) {
  if (unit.empty()) return 1;
  if (unit == "K" || unit == "k") return 1U << 10;
  if (unit == "M" || unit == "m") return 1U << 20;
  return unit == "G" || unit == "g" ? 1U << 30 : 0;
}

}  // namespace

std::string ring_ipc(std::span<const std::string> env) {
  if (env_value(env, "FLATOUT_RING_IPC") == "off") return "";
  char name[64];
  const ssize_t n = ::readlink("/proc/self/ns/ipc", name, sizeof name - 1);
  if (n <= 0 || !grants_a_segment()) return "";
  return {name, static_cast<std::size_t>(n)};
}

base::Result<std::optional<std::uint64_t>> ring_bytes(std::span<const std::string> env) {
  const auto text = env_value(env, "FLATOUT_RING_BYTES");
  if (!text || text->empty()) return std::nullopt;
  std::uint64_t number = 0;
  const char* const end = text->data() + text->size();
  const auto [at, err] = std::from_chars(text->data(), end, number);
  const std::uint64_t factor = factor_of({at, static_cast<std::size_t>(end - at)});
  const bool fits = err == std::errc{} && factor != 0 && number <= kRingBytesMax / factor &&
                    number * factor >= kRingBytesMin;
  if (fits) return std::bit_floor(number * factor);
  return base::fail(base::ErrorCode::kInvalid,
                    "FLATOUT_RING_BYTES is \"" + std::string(*text) +
                        "\", not a size from 64K to 1G; the rings have their usual size");
}

}  // namespace flatout::launch
