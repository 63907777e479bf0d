#include "report/json_parts.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "report/signal_name.h"

namespace flatout::report {

double tidy(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return std::strtod(text, nullptr);
}

void put(Json& to, const char* key, double value) {
  if (std::isfinite(value)) to[key] = tidy(value);
}

void put(Json& to, const char* key, const std::string& value) {
  if (!value.empty()) to[key] = value;
}

Json literal(const std::string& text) {
  Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  return value.is_discarded() ? Json(text) : value;
}

void put_setting(Json& to, const char* key, const std::string& text) {
  if (text.empty()) return;
  if (Json value = literal(text); !value.is_null()) to[key] = std::move(value);
}

void put_end(Json& to, run::RunState state, const std::optional<run::RunEnd>& end) {
  if (!end || state == run::RunState::kRunning || state == run::RunState::kLost) return;
  if (end->signal == 0) {
    to["exit_code"] = end->exit_code;
  } else {
    to["signal"] = signal_name(end->signal);
  }
}

bool is_finite(const std::optional<run::Speedup>& speedup) {
  return speedup && std::isfinite(speedup->ratio) && std::isfinite(speedup->lo) &&
         std::isfinite(speedup->hi);
}

Json branch_json(const run::TrackedBranch& branch) {
  Json out = {{"kind", branch.rewind ? "rewind" : "fork"}, {"from", branch.from}};
  put(out, "from_step", branch.from_step);
  put(out, "values", branch.values);
  out["rows"] = branch.rows;
  out["recordings"] = branch.recordings;
  put(out, "problem", branch.problem);
  return out;
}

Json interval_json(double lo, double hi) { return {tidy(lo), tidy(hi)}; }

Json interval_json(const run::Speedup& speedup) { return interval_json(speedup.lo, speedup.hi); }

std::string document(const Json& out) {
  return out.dump(2, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace) + "\n";
}

}  // namespace flatout::report
