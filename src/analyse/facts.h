// Questions to what a process said of itself (run/observed.h) that several parts ask. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "run/observed.h"
#include "run/timeline.h"

namespace flatout::analyse {

// Of the parameters whose type is known; 0 where none is.
double float32_share(const run::ModelFact& model);

// Batches to an update, that the framework was given.
std::optional<int> accumulated(const run::FrameworkFact& framework);

// "cpu", "cuda:0": where the first root module lives; "" = not known.
std::string model_device(const run::Observed& said);

// As torch names them, the latest.
std::span<const run::DeviceFact> devices_of(const run::Observed& said);

// The first that any process of the run reported; "" without one.
std::string first_problem(const run::Timeline& timeline);

}  // namespace flatout::analyse
