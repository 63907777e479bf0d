// Runs, analysed, in; what differs between the first and each of the others
// out. Pure; any thread; never fails: what one of them lacks is absent.
#pragma once

#include <span>

#include "analyse/analysis.h"
#include "run/comparison.h"
#include "run/report.h"
#include "run/timeline.h"

namespace flatout::analyse {

// One run, as seen by all who looked at it. The pointers must outlive the call;
// `analysis` is measure(*timeline), `report` report_of(...) with or without advice.
struct Analysed {
  const run::Timeline* timeline = nullptr;
  const Analysis* analysis = nullptr;
  const run::Report* report = nullptr;
};

// The first is the baseline. An empty list gives an empty Comparison.
run::Comparison compare(std::span<const Analysed> runs);

}  // namespace flatout::analyse
