// Advice about a loader whose batches flatout's loading engine makes. Internal to advise/.
#pragma once

#include "advise/rule.h"

namespace flatout::advise {

// `loader`: of the question's report. Never a number of workers: the engine starts none.
Answer answer_native_loading(const Question& question, const run::LoaderReport& loader);

}  // namespace flatout::advise
