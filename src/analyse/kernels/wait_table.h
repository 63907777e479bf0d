// The calls that waited for a device, by who called: how often, how long, and what of the device's
// idle time they cost (IdleAccount's `sync`).
//
// At most kMostCallers are kept separately, each of 48 bytes; what comes beyond them is one row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "analyse/kernels/wait_call.h"
#include "run/activity.h"
#include "run/kernel_report.h"
#include "run/observed.h"

namespace flatout::analyse {

constexpr std::size_t kMostWaitRows = 10;  // of a report, and one for the rest
// What a fact says of a row's caller.
void name_by_site(const run::WaitSiteFact& site, run::WaitReport& row);
// Rows that are called the same are one: two calls in one line.
std::vector<run::WaitReport> merged(std::vector<run::WaitReport> rows);
// The rows by idle time, then by time; those beyond kMostWaitRows are added to `rest`, which comes
// last where it holds any.
std::vector<run::WaitReport> shortened(std::vector<run::WaitReport> rows, run::WaitReport rest);

class WaitTable {
 public:
  static constexpr std::size_t kMostCallers = 1024;

  void add_call(const WaitCaller& caller, std::int64_t ns) {
    Sums& sums = of(caller);
    ++sums.count;
    sums.ns += ns;
  }
  void add_idle(const WaitCaller& caller, std::int64_t ns) { of(caller).idle_ns += ns; }

  // shortened(); `sites` are the process's.
  std::vector<run::WaitReport> rows(const run::NameTable& names,
                                    const std::vector<run::WaitSiteFact>& sites) const;

 private:
  struct Sums {
    std::int64_t count = 0;
    std::int64_t ns = 0;
    std::int64_t idle_ns = 0;
    void put(run::WaitReport& row) const;
  };
  Sums& of(const WaitCaller& caller);

  std::map<WaitCaller, Sums> callers_;
  Sums others_;
};

}  // namespace flatout::analyse
