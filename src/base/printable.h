// Text of somebody else for a terminal. Pure.
#pragma once

#include <string>
#include <string_view>

namespace flatout::base {

// `text` with what could steer a terminal written out: controls but tab and new line,
// DEL, and the controls U+0080 to U+009F, as \u001b, so that a JSON document stays one and
// means the same. UTF-8 is otherwise kept.
std::string printable(std::string_view text);

}  // namespace flatout::base
