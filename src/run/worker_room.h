// How many loader workers the facts of a run leave room for, whatever a model predicts of them.
#pragma once

#include <vector>

#include "run/report.h"

namespace flatout::run {

// The most that could be of use. Workers that burn CPU are useful up to one more than the cores;
// workers that wait for part of the time up to cores / CPU share, at most 4 a core and 32; and no
// more than memory holds should each come to own a copy of what the program has (Python touches
// what it reads: pytorch/pytorch#13246).
int most_useful_workers(const LoaderReport& loader, const HostReport& host);

// The wait for data, as a share of a step, from which a trial of more workers is worth its time.
constexpr double kNotableDataWait = 0.1;

// More workers that nothing measured rules out: those that would hide the measured wait if each
// fetched as fast as was measured, then one more than now. Empty where the steps wait too little,
// where the workers of now use all cores, and where no worker would be started.
std::vector<int> workers_left_to_try(const Report& report);

}  // namespace flatout::run
