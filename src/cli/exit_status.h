// What verbs end with, beside 0 for done and 1 for an error.
#pragma once

#include <csignal>

namespace flatout::cli {

constexpr int kWrongOption = 2;
constexpr int kInterrupted = 128 + SIGINT;

}  // namespace flatout::cli
