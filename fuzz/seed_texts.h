// Seeds of what people, terminals and flatout itself write as text: plans, spaces, budgets,
// queries, output, keys, trials and journals.
#pragma once

#include <string>

namespace flatout::fuzz {

// Each writes its files into `folder`; false where one cannot be written.
bool write_plan_seeds(const std::string& folder);
bool write_space_seeds(const std::string& folder);
bool write_budget_seeds(const std::string& folder);
bool write_output_seeds(const std::string& folder);
bool write_query_seeds(const std::string& folder);
bool write_top_keys_seeds(const std::string& folder);
bool write_trial_job_seeds(const std::string& folder);
bool write_outcomes_seeds(const std::string& folder);
bool write_tune_seeds(const std::string& folder);

}  // namespace flatout::fuzz
