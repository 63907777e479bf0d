// Where a program waits for its device, in words.
#pragma once

#include <string>
#include <vector>

#include "run/kernel_report.h"

namespace flatout::run {

// "item() at /abs/train.py:57", "aten::nonzero in step (train.py:40)", "cudaStreamSynchronize in
// the range loss": what is known of the caller, and the call alone where nothing is.
std::string wait_text(const WaitReport& wait);

// The first that is known by more than its call: rows come largest first. Null without one.
const WaitReport* named_wait(const std::vector<WaitReport>& waits);

}  // namespace flatout::run
