// Advice to make samples cheaper, in words that agree with the advice before it. Internal to
// advise/.
#pragma once

#include "advise/rule.h"

namespace flatout::advise {

// What is advised for the same loader, and comes first.
enum class Before { kNothing, kOther, kEngine };
run::Advice cheaper_samples(const Question& question, const run::LoaderReport& loader,
                            Before before);

// Share of a sample's time in which it could run and had no core; 0 where the kernel does not tell.
double waits_for_core(const run::Finding& finding);

constexpr double kNotableWait = 0.3;  // of the fetch, to be more than the first touch of a file

}  // namespace flatout::advise
