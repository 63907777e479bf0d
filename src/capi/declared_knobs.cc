#include "capi/declared_knobs.h"

#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "inject/emit.h"

namespace flatout::capi {
namespace {

constexpr std::size_t kMaxNameBytes = 64;  // as apply::is_knob_name
char planned[8192] = "";                   // written before main(), or at dlopen

bool is_name(const char* name, std::size_t bytes) {
  if (bytes == 0 || bytes > kMaxNameBytes) return false;
  for (std::size_t i = 0; i < bytes; ++i) {
    const char c = name[i];
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!plain && c != '_' && c != '-') return false;
  }
  return true;
}

bool planned_value(const char* name, std::size_t bytes, std::int64_t& value) {
  for (const char* at = planned; *at != '\0';) {
    const char* end = std::strchr(at, ',');
    if (std::strncmp(at, name, bytes) == 0 && at[bytes] == '=') {
      char* last = nullptr;
      const long long number = std::strtoll(at + bytes + 1, &last, 10);
      if (last == at + bytes + 1 || (*last != ',' && *last != '\0')) return false;
      value = number;
      return true;
    }
    if (end == nullptr) return false;
    at = end + 1;
  }
  return false;
}

// Which names this process has spoken of. Another thread may see it half cleared
// after a fork, and say something twice; of what does not fit nothing is said.
class Said {
 public:
  bool already(std::uint64_t name) {
    refresh();
    for (const auto& slot : slots_) {
      const std::uint64_t there = slot.load(std::memory_order_relaxed);
      if (there == name) return true;
      if (there == 0) return false;
    }
    return true;
  }

  void note(std::uint64_t name) {
    for (auto& slot : slots_) {
      std::uint64_t empty = 0;
      if (slot.compare_exchange_strong(empty, name) || empty == name) return;
    }
  }

 private:
  void refresh() {
    const std::uint32_t now = inject::generation();
    if (generation_.exchange(now, std::memory_order_relaxed) == now) return;
    for (auto& slot : slots_) slot.store(0, std::memory_order_relaxed);
  }

  std::atomic<std::uint64_t> slots_[64] = {};
  std::atomic<std::uint32_t> generation_ = 0;
};

Said said;

// FNV-1a; never 0.
std::uint64_t hash_of(const char* text, std::size_t bytes) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (std::size_t i = 0; i < bytes; ++i) {
    hash = (hash ^ static_cast<unsigned char>(text[i])) * 1099511628211ULL;
  }
  return hash | 1;
}

void say(const char* key, const char* json, int bytes) {
  if (bytes <= 0) return;
  inject::emit_fact(key, static_cast<std::uint32_t>(std::strlen(key)), json,
                    static_cast<std::uint32_t>(bytes));
}

void say_problem(const char* name) {
  if (said.already(1) || inject::writing_lane() == nullptr) return;
  char json[256];
  const int bytes = std::snprintf(
      json, sizeof json,
      R"({"problem":"flatout_knob_int(\"%s\") is no knob: a name has 1 to 64 letters, digits, _ and -, and least is not above most"})",
      name);
  said.note(1);
  say("problem", json, bytes);
}

struct Knob {
  const char* name;
  std::int64_t value, least, most;
};

void say_knob(const Knob& knob, bool is_planned, std::int64_t wanted, bool applied) {
  char json[384];
  int bytes = std::snprintf(json, sizeof json,
                            R"({"name":"%s","value":%)" PRId64 R"(,"least":%)" PRId64
                            R"(,"most":%)" PRId64 "}",
                            knob.name, knob.value, knob.least, knob.most);
  say("declared_knob", json, bytes);
  if (!is_planned) return;
  char reason[128] = "";
  if (!applied) {
    (void)std::snprintf(reason, sizeof reason,
                        R"(,"reason":"the program allows %)" PRId64 " to %" PRId64 "\"", knob.least,
                        knob.most);
  }
  bytes = std::snprintf(json, sizeof json,
                        R"({"knob":"program.%s","value":%)" PRId64 R"(,"from":%)" PRId64
                        R"(,"applied":%s%s})",
                        knob.name, wanted, knob.value, applied ? "true" : "false", reason);
  say("knob", json, bytes);
}

}  // namespace

void set_planned_knobs(const char* text) {
  if (text == nullptr) return;
  const std::size_t bytes = ::strnlen(text, sizeof planned);
  std::memcpy(planned, text, bytes);
  if (bytes < sizeof planned) {
    planned[bytes] = '\0';
    return;
  }
  planned[sizeof planned - 1] = '\0';  // the last, cut one is left out
  char* comma = std::strrchr(planned, ',');
  *(comma != nullptr ? comma : planned) = '\0';
}

std::int64_t declared_knob(const char* name, std::int64_t value, std::int64_t least,
                           std::int64_t most) {
  const std::size_t bytes = name == nullptr ? 0 : ::strnlen(name, kMaxNameBytes + 1);
  if (!is_name(name, bytes) || least > most) {
    say_problem(is_name(name, bytes) ? name : "");
    return value;
  }
  std::int64_t wanted = value;
  const bool is_planned = planned_value(name, bytes, wanted);
  const bool applied = is_planned && wanted >= least && wanted <= most;
  const std::uint64_t hash = hash_of(name, bytes);
  if (!said.already(hash) && inject::writing_lane() != nullptr) {
    said.note(hash);
    say_knob({name, value, least, most}, is_planned, wanted, applied);
  }
  return applied ? wanted : value;
}

}  // namespace flatout::capi
