#include "run/wait_text.h"

namespace flatout::run {
namespace {

std::string call_text(const WaitReport& wait) {
  if (wait.op.empty()) return wait.api.empty() ? "a call that is not known" : wait.api;
  return wait.op.find("::") == std::string::npos ? wait.op + "()" : wait.op;
}

}  // namespace

std::string wait_text(const WaitReport& wait) {
  if (wait.rest) return "other places";
  std::string text = call_text(wait);
  if (!wait.function.empty()) {
    text += " in " + wait.function + " (" + wait.at + ")";
  } else if (!wait.at.empty()) {
    text += " at " + wait.at;
  } else if (!wait.range.empty()) {
    text += " in the range " + wait.range;
  }
  return wait.by.empty() ? text : text + ", called by " + wait.by;
}

const WaitReport* largest_wait(const std::vector<WaitReport>& waits) {
  if (waits.empty() || waits.front().rest || waits.front().count == 0) return nullptr;
  const WaitReport& first = waits.front();
  return first.op.empty() && first.api.empty() ? nullptr : &first;
}

}  // namespace flatout::run
