// Where a program waits for its device, in words.
#pragma once

#include <string>
#include <vector>

#include "run/kernel_report.h"

namespace flatout::run {

// "item() at /abs/train.py:57", "aten::nonzero in step (train.py:40)", "cudaStreamSynchronize in
// the range loss": what is known of the caller, and the call alone where nothing is.
std::string wait_text(const WaitReport& wait);

// The first, as rows come largest first; null where nothing is known of it.
const WaitReport* largest_wait(const std::vector<WaitReport>& waits);

}  // namespace flatout::run
