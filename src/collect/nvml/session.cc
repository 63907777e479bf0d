#include "collect/nvml/session.h"

#include <cstdlib>
#include <utility>

#include "run/metric.h"

namespace flatout::collect::nvml {
namespace {

// A tick comes a little early or late; a question must not miss its tick for that.
constexpr base::DurationNs kRetry = 10 * base::kSecond;
constexpr base::DurationNs kFarAway = 120 * base::kSecond;

// It is not there this time, which says nothing of the next.
bool passing(Return code) {
  return code == Return::kNotFound || code == Return::kNoData || code == Return::kTimeout ||
         code == Return::kNotReady || code == Return::kInUse || code == Return::kInsufficientSize;
}

bool for_good(Return code) {
  return code == Return::kNotSupported || code == Return::kFunctionNotFound ||
         code == Return::kNoPermission || code == Return::kInvalidArgument ||
         code == Return::kArgumentVersionMismatch || code == Return::kDeprecated;
}

}  // namespace

void DriverClock::update() {
  const base::TimeNs before = clock_.monotonic();
  const base::WallNs wall = clock_.wall();
  now_ns_ = clock_.monotonic();
  offset_ns_ = wall - (before + (now_ns_ - before) / 2);
}

std::optional<base::TimeNs> DriverClock::monotonic(unsigned long long time_us) const {
  if (time_us > static_cast<unsigned long long>(INT64_MAX / 1000)) return std::nullopt;
  const auto time_ns = static_cast<std::int64_t>(time_us) * base::kMicrosecond;
  for (const base::TimeNs candidate : {time_ns - offset_ns_, time_ns}) {
    if (std::abs(candidate - now_ns_) < kFarAway) return std::min(candidate, now_ns_);
  }
  return std::nullopt;
}

unsigned long long DriverClock::now_us() const {
  return static_cast<unsigned long long>((now_ns_ + offset_ns_) / base::kMicrosecond);
}

std::string key(run::Metric metric) { return std::string(run::metric_info(metric)->name); }

bool Session::due(Question& question) const {
  if (lost_ || question.given_up || now_ + kSlack < question.next_ns) return false;
  question.next_ns = now_ + question.period;
  return true;
}

bool Session::answered(Question& question, Return code) {
  if (code == Return::kSuccess) {
    if (!question.worked || question.failing) {
      for (const auto& name : question.names) available(name);
    }
    question.worked = true;
    question.failing = false;
    return true;
  }
  if (code == Return::kGpuIsLost || code == Return::kResetRequired) {
    lose(code);
    return false;
  }
  if (passing(code) && question.worked) return false;
  const std::string why = reason(code, driver_->last_call());
  for (const auto& name : question.names) unavailable(name, why);
  if (question.worked) {
    // What breaks a driver breaks many questions at once: the first speaks for all.
    if (!question.failing && !std::exchange(told_failing_, true)) {
      note(label() + ": the driver stopped answering (" + why + "); the rest goes on");
    }
    question.failing = true;
  } else if (for_good(code)) {
    question.given_up = true;
  }
  if (!passing(code)) question.next_ns = now_ + std::max(kRetry, question.period);
  return false;
}

void Session::add(run::Metric metric, double value, base::TimeNs t_ns) {
  base::TimeNs& last = last_ns_[metric];
  if (out_ == nullptr || t_ns <= last) return;
  last = t_ns;
  out_->add(
      {.t_ns = t_ns, .value = value, .source = run::device_source(facts_.index), .metric = metric});
}

void Session::unavailable(const std::string& name, const std::string& why) {
  std::string& known = facts_.unavailable[name];
  if (known == why) return;
  known = why;
  changed_ = true;
}

void Session::available(const std::string& name) {
  if (facts_.unavailable.erase(name) > 0) changed_ = true;
}

void Session::change(const run::Device& facts) {
  if (facts == facts_) return;
  facts_ = facts;
  changed_ = true;
}

void Session::note(const std::string& line) {
  if (told_.insert(line).second) notes_.push_back(line);
}

std::string Session::label() const {
  const std::string what =
      facts_.mig && facts_.mig->find(" of device ") != std::string::npos ? "MIG instance " : "GPU ";
  return what + std::to_string(facts_.index) + " (" + facts_.name + ")";
}

void Session::lose(Return code) {
  if (lost_) return;
  lost_ = true;
  const std::string why = reason(code, driver_->last_call());
  unavailable("device", "it was lost during the run: " + why);
  note(label() + " is lost (" + why +
       "); nothing more is read from it. See dmesg for its XID error");
}

}  // namespace flatout::collect::nvml
