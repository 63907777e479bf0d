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

const WaitReport* named_wait(const std::vector<WaitReport>& waits) {
  for (const WaitReport& wait : waits) {
    if (!wait.rest && !(wait.at.empty() && wait.op.empty() && wait.range.empty())) return &wait;
  }
  return nullptr;
}

}  // namespace flatout::run
