#include "analyse/kernels/wait_table.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

#include "analyse/kernels/python_place.h"

namespace flatout::analyse {
namespace {

// "torch/nn/utils/clip_grad.py:30 (clip_grad_norm_)".
std::string place_text(const PythonPlace& place) {
  return place.function.empty() ? place.at : place.at + " (" + place.function + ")";
}

void name_by_trace(const WaitCaller& caller, const run::NameTable& names, run::WaitReport& row) {
  PythonPlace own = python_place(names.at(caller.own));
  row.at = std::move(own.at);
  row.function = std::move(own.function);
  const PythonPlace by = python_place(names.at(caller.by));
  row.by = place_text(by);
  const std::string_view op = names.at(caller.op);
  const std::string_view built_in = built_in_name(op);
  row.op = built_in.empty() ? std::string(op) : by.function;
  if (row.op.empty()) row.op = built_in.empty() ? by.function : std::string(built_in);
}

run::WaitReport named(const WaitCaller& caller, const run::NameTable& names,
                      const std::vector<run::WaitSiteFact>& sites) {
  run::WaitReport row;
  row.api = names.at(caller.api);
  row.range = names.at(caller.range);
  const auto site = std::ranges::find(sites, caller.site, &run::WaitSiteFact::site);
  if (caller.site != 0 && site != sites.end()) {
    name_by_site(*site, row);
  } else {
    name_by_trace(caller, names, row);
  }
  return row;
}

void add_to(run::WaitReport& row, const run::WaitReport& more) {
  row.count += more.count;
  row.time_ms += more.time_ms;
  if (more.idle_ms) row.idle_ms = row.idle_ms.value_or(0) + *more.idle_ms;
}

}  // namespace

WaitTable::Sums& WaitTable::of(const WaitCaller& caller) {
  const auto known = callers_.find(caller);
  if (known != callers_.end()) return known->second;
  return callers_.size() < kMostCallers ? callers_[caller] : others_;
}

void WaitTable::Sums::put(run::WaitReport& row) const {
  row.count = count;
  row.time_ms = static_cast<double>(ns) / 1e6;
  row.idle_ms = static_cast<double>(idle_ns) / 1e6;
}

std::vector<run::WaitReport> WaitTable::rows(const run::NameTable& names,
                                             const std::vector<run::WaitSiteFact>& sites) const {
  std::vector<run::WaitReport> rows;
  for (const auto& [caller, sums] : callers_) {
    sums.put(rows.emplace_back(named(caller, names, sites)));
  }
  run::WaitReport rest;
  others_.put(rest);
  return shortened(merged(std::move(rows)), std::move(rest));
}

void name_by_site(const run::WaitSiteFact& site, run::WaitReport& row) {
  row.at = site.at;
  row.by = site.by;
  row.op = site.call;
}

std::vector<run::WaitReport> merged(std::vector<run::WaitReport> rows) {
  std::map<std::array<std::string, 6>, run::WaitReport> by_name;
  for (run::WaitReport& one : rows) {
    const auto [row, fresh] =
        by_name.try_emplace({one.at, one.function, one.by, one.op, one.api, one.range}, one);
    if (!fresh) add_to(row->second, one);
  }
  rows.clear();
  for (auto& [key, row] : by_name) rows.push_back(std::move(row));
  return rows;
}

std::vector<run::WaitReport> shortened(std::vector<run::WaitReport> rows, run::WaitReport rest) {
  std::ranges::stable_sort(rows, [](const run::WaitReport& a, const run::WaitReport& b) {
    return a.idle_ms != b.idle_ms ? a.idle_ms > b.idle_ms : a.time_ms > b.time_ms;
  });
  rest.rest = true;
  while (rows.size() > kMostWaitRows) {
    add_to(rest, rows.back());
    rows.pop_back();
  }
  if (rest.count > 0 || rest.idle_ms.value_or(0) > 0) rows.push_back(std::move(rest));
  return rows;
}

}  // namespace flatout::analyse
