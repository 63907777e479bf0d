// Completions for shells and the manual page, from the same description of verbs and options as
// the help, so that neither can go stale. Pure.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace flatout::cli {

// `shell`: "bash", "zsh" or "fish".
std::string completions_for(const CLI::App& app, std::string_view shell);

// flatout(1), for man(7).
std::string manual_page(const CLI::App& app);

}  // namespace flatout::cli
