// What verbs end with, beside 0 for done and 1 for an error.
#pragma once

#include <csignal>

namespace flatout::cli {

constexpr int kWrongOption = 2;
// `check`: 1 is a run that does not keep its budget, all else that is not 0 is this.
constexpr int kOverBudget = 1;
constexpr int kNotChecked = 2;
constexpr int kInterrupted = 128 + SIGINT;

}  // namespace flatout::cli
