#include "report/trace_json.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "base/terminal_text.h"

namespace flatout::report {
namespace {

constexpr std::size_t kTracePieceBytes = 1U << 20;

// Times of a damaged file may lie anywhere.
std::int64_t elapsed_ns(std::int64_t from_ns, std::int64_t to_ns) {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(to_ns, from_ns, &difference)) return difference;
  return to_ns < from_ns ? std::numeric_limits<std::int64_t>::min()
                         : std::numeric_limits<std::int64_t>::max();
}

int rank_of(const run::Timeline& timeline) {
  for (const auto& [pid, process] : timeline.processes) {
    if (process.proc.role == run::ProcRole::kMain) return process.proc.rank;
  }
  return -1;
}

// "9.0" as two numbers.
std::optional<std::pair<int, int>> capability_of(const run::Device& device) {
  const std::string text = device.capability.value_or("");
  const char* const stop = text.data() + text.size();
  int major = 0, minor = 0;
  const auto dot = std::from_chars(text.data(), stop, major);
  if (dot.ec != std::errc() || dot.ptr == stop || *dot.ptr != '.') return std::nullopt;
  if (std::from_chars(dot.ptr + 1, stop, minor).ec != std::errc()) return std::nullopt;
  return std::pair(major, minor);
}

bool is_plain(char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; }

// C0, DEL, and of two bytes C1: a terminal would be steered by them.
int control_code(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7F ? first : -1;
  const auto second = static_cast<unsigned char>(character[1]);
  return character.size() == 2 && first == 0xC2 && second < 0xA0 ? second : -1;
}

}  // namespace

void TraceJson::begin(const run::Timeline& timeline) {
  const bool own = timeline.info.trace_file.empty();
  zero_ns_ = own ? timeline.info.started_ns : 0;
  text_ += "{\"schemaVersion\":1";
  // Since 1970, which times count from; not known of every trace.
  if (timeline.info.started_wall_ns != 0) {
    text_ += ",\"baseTimeNanoseconds\":" + std::to_string(timeline.info.started_wall_ns);
  }
  if (const int rank = rank_of(timeline); rank >= 0) {
    text_ += ",\"distributedInfo\":{\"rank\":" + std::to_string(rank) + "}";
  }
  text_ += ",\"deviceProperties\":[";
  bool first = true;
  for (const auto& [index, device] : timeline.devices) {
    if (!first) text_ += ',';
    first = false;
    device_properties(index, device);
  }
  text_ += "],\"traceEvents\":[\n";
}

void TraceJson::device_properties(int index, const run::Device& device) {
  text_ += "{\"id\":" + std::to_string(index);
  member("name");
  string(device.name);
  if (device.memory_total_bytes) {
    member("totalGlobalMem");
    text_ += std::to_string(*device.memory_total_bytes);
  }
  if (const auto capability = capability_of(device)) {
    member("computeMajor");
    text_ += std::to_string(capability->first);
    member("computeMinor");
    text_ += std::to_string(capability->second);
  }
  text_ += '}';
}

TraceJson& TraceJson::span(TraceLane lane, std::string_view category, std::string_view name,
                           std::int64_t begin_ns, std::int64_t end_ns) {
  begin_event('X', lane);
  member("cat");
  string(category);
  member("name");
  string(name);
  time("ts", begin_ns);
  member("dur");
  microseconds(end_ns > begin_ns ? elapsed_ns(begin_ns, end_ns) : 0);
  return *this;
}

TraceJson& TraceJson::moment(TraceLane lane, std::string_view category, std::string_view name,
                             std::int64_t t_ns) {
  begin_event('i', lane);
  member("cat");
  string(category);
  member("name");
  string(name);
  time("ts", t_ns);
  text_ += ",\"s\":\"t\"";  // of its lane alone
  return *this;
}

void TraceJson::arrow(std::uint64_t id, TraceLane from, std::int64_t from_ns, TraceLane to,
                      std::int64_t to_ns) {
  flow('s', id, from, from_ns);
  flow('f', id, to, to_ns);
  text_ += ",\"bp\":\"e\"";  // at the span that holds the time, not at the next one
}

void TraceJson::flow(char phase, std::uint64_t id, TraceLane lane, std::int64_t t_ns) {
  begin_event(phase, lane);
  // Category and name are as PyTorch's profiler has them; both ends must have the same.
  text_ += ",\"cat\":\"ac2g\",\"name\":\"ac2g\",\"id\":" + std::to_string(id);
  time("ts", t_ns);
}

void TraceJson::reading(std::int64_t process, std::string_view counter, std::string_view unit,
                        std::int64_t t_ns, double value) {
  if (!std::isfinite(value)) return;
  begin_event('C', {process, 0});
  member("name");
  string(counter);
  time("ts", t_ns);
  begin_arg(unit);
  real(value);
}

void TraceJson::name_process(std::int64_t process, std::string_view name, std::int64_t order) {
  metadata("process_name", {process, 0});
  arg("name", name);
  metadata("process_sort_index", {process, 0});
  arg("sort_index", order);
}

void TraceJson::name_lane(TraceLane lane, std::string_view name, std::int64_t order) {
  metadata("thread_name", lane);
  arg("name", name);
  metadata("thread_sort_index", lane);
  arg("sort_index", order);
}

void TraceJson::metadata(std::string_view what, TraceLane lane) {
  begin_event('M', lane);
  member("name");
  string(what);
}

TraceJson& TraceJson::arg(std::string_view key, std::string_view value) {
  begin_arg(key);
  string(value);
  return *this;
}

TraceJson& TraceJson::real_arg(std::string_view key, double value) {
  begin_arg(key);
  real(value);
  return *this;
}

TraceJson& TraceJson::ms_arg(std::string_view key, std::int64_t ns) {
  return real_arg(key, static_cast<double>(ns) / 1e6);
}

base::Result<void> TraceJson::finish() {
  end_event();
  text_ += "\n]}\n";
  flush();
  return done_;
}

void TraceJson::begin_event(char phase, TraceLane lane) {
  end_event();
  if (text_.size() >= kTracePieceBytes) flush();
  if (any_event_) text_ += ",\n";
  any_event_ = in_event_ = true;
  text_ += "{\"ph\":\"";
  text_ += phase;
  text_ += "\",\"pid\":" + std::to_string(lane.process) + ",\"tid\":" + std::to_string(lane.thread);
}

void TraceJson::end_event() {
  if (in_args_) text_ += '}';
  if (in_event_) text_ += '}';
  in_args_ = in_event_ = false;
}

void TraceJson::begin_arg(std::string_view key) {
  text_ += in_args_ ? "," : ",\"args\":{";
  in_args_ = true;
  string(key);
  text_ += ':';
}

// Keys are ours and need no escapes.
void TraceJson::member(std::string_view key) {
  text_ += ",\"";
  text_ += key;
  text_ += "\":";
}

void TraceJson::time(std::string_view key, std::int64_t ns) {
  member(key);
  microseconds(elapsed_ns(zero_ns_, ns));
}

// To the nanosecond: a double does not hold a time since 1970.
void TraceJson::microseconds(std::int64_t ns) {
  const auto size = ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  const std::string part = std::to_string(size % 1000);
  if (ns < 0) text_ += '-';
  text_ += std::to_string(size / 1000) + '.';
  text_.append(3 - part.size(), '0');
  text_ += part;
}

void TraceJson::string(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  text_ += '"';
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t plain = at;
    while (at < text.size() && is_plain(text[at])) ++at;
    text_ += text.substr(plain, at - plain);
    if (at == text.size()) break;
    const std::size_t next = base::next_character(text, at);
    const std::string_view character = text.substr(at, next - at);
    at = next;
    const char c = character[0];
    if (const int code = control_code(character); code >= 0) {
      text_ += "\\u00";
      text_ += kHex[static_cast<std::size_t>(code) >> 4U];
      text_ += kHex[static_cast<std::size_t>(code) & 0xFU];
    } else if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (character.size() == 1 && static_cast<unsigned char>(c) >= 0x80) {
      text_ += "\xEF\xBF\xBD";  // U+FFFD, for a byte that is no UTF-8
    } else {
      text_ += character;
    }
  }
  text_ += '"';
}

void TraceJson::real(double value) {
  if (!std::isfinite(value)) {
    text_ += "null";
    return;
  }
  std::array<char, 32> digits{};
  text_.append(digits.data(),
               std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

void TraceJson::flush() {
  if (done_ && !text_.empty()) done_ = sink_(text_);
  text_.clear();
}

}  // namespace flatout::report
