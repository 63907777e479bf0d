// What stands below the options in `flatout help VERB`: what the verb does, what
// it does not, and examples. Lines of at most 80 columns.
#pragma once

#include <string_view>

namespace flatout::cli {

// "" is flatout itself. Empty for a verb without more to say.
std::string_view help_text(std::string_view verb);

}  // namespace flatout::cli
