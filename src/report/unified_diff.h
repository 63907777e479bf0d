// Two texts as a unified diff, as `git apply` and `patch -p1` take it. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace flatout::report {

// `path` as the heads name it, "train.py": "--- a/train.py", "+++ b/train.py". Three lines of
// context. "" where the texts are the same.
std::string unified_diff(std::string_view path, std::string_view before, std::string_view after);

}  // namespace flatout::report
