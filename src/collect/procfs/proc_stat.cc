#include "collect/procfs/proc_stat.h"

#include "host/text_fields.h"

namespace flatout::collect {
namespace {

// Numbers of the fields after "pid (comm) ", counted from 0 (proc(5) counts
// from 1 and begins with pid).
enum Field {
  kState = 0,
  kParent = 1,
  kMajorFaults = 9,
  kUser = 11,
  kSystem = 12,
  kThreads = 17,
  kStart = 19,
  kRss = 21
};

template <typename Number>
bool read(std::string_view word, Number& out) {
  const auto value = host::parse_number<Number>(word);
  if (value) out = *value;
  return value.has_value();
}

bool store(int field, std::string_view word, ProcStat& stat) {
  std::uint64_t ticks = 0;
  switch (field) {
    case kState:
      stat.state = word.front();
      return word.size() == 1;
    case kParent:
      return read(word, stat.parent);
    case kMajorFaults:
      return read(word, stat.major_faults);
    case kUser:
    case kSystem:
      if (!read(word, ticks)) return false;
      stat.cpu_ticks += ticks;
      return true;
    case kThreads:
      return read(word, stat.threads);
    case kStart:
      return read(word, stat.start_ticks);
    case kRss:
      return read(word, stat.rss_pages);
    default:
      return true;
  }
}

}  // namespace

std::optional<ProcStat> parse_proc_stat(std::string_view text) {
  // The command's name may itself hold blanks and parentheses.
  const auto open = text.find('(');
  const auto close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return std::nullopt;
  }
  ProcStat stat;
  stat.command = text.substr(open + 1, close - open - 1);
  std::string_view rest = text.substr(close + 1);
  // The field after the last one that is needed must be there too, so that a
  // cut number is not taken for a whole one.
  for (int field = 0; field <= kRss + 1; ++field) {
    const auto word = host::next_word(rest);
    if (word.empty() || !store(field, word, stat)) return std::nullopt;
  }
  return stat;
}

}  // namespace flatout::collect
