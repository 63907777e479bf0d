#include "cli/written_plan.h"

#include <filesystem>

#include "apply/plan_file.h"
#include "base/new_file.h"

namespace flatout::cli {

namespace fs = std::filesystem;

base::Result<void> keep_plan(const run::Plan& plan, std::vector<std::string> comments,
                             const std::string& file,
                             const std::function<void(const std::string&)>& say) {
  std::error_code error;
  if (fs::exists(file, error)) {
    const std::string old = file + ".old";
    fs::rename(file, old, error);
    if (error) return base::fail(base::ErrorCode::kIo, old + ": " + error.message());
    say("note: the plan that was there is now " + old);
  }
  comments.push_back("  flatout run --plan " + file + " -- (the command)");
  if (!plan.unproved.empty()) {
    comments.emplace_back(
        "With --accept-unproved also what is faster, but not yet proved to train");
    comments.emplace_back("the same: [unproved].");
  }
  return base::write_file_atomic(file, apply::plan_text(plan, comments));
}

}  // namespace flatout::cli
