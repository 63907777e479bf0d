// Texts as TOML writes them, in ASCII. Pure. Internal to apply/.
#pragma once

#include <string>
#include <string_view>

namespace flatout::apply {

// `utf8` in quotes; what is no UTF-8 becomes U+FFFD.
std::string toml_string(std::string_view utf8);

// A JSON number, boolean or string as a TOML value.
std::string toml_value(const std::string& json);

// Of a bare key.
bool is_bare_key_char(char c);

// "dataloader.num_workers" as a dotted key; parts that are no bare key in quotes.
std::string toml_key(std::string_view knob);

}  // namespace flatout::apply
