// How `flatout help VERB` is laid out. Pure.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace flatout::cli {

// What an option is called and takes, as people and shells write it.
struct OptionWords {
  std::string short_name;            // "-n", "" = none
  std::string long_name;             // "--name"; of a positional its name
  std::string value;                 // "FILE", "" = takes none
  std::vector<std::string> choices;  // of its value; empty = any
  std::string text;
  bool positional = false;
  bool many = false;  // takes several
};
OptionWords words_of(const CLI::Option& option);
// Those that help shows, positionals first.
std::vector<OptionWords> options_of(const CLI::App& verb);
// "flatout run [OPTIONS] [--] CMD..."
std::string usage_of(const CLI::App& verb);
// The verbs that help shows, in its order.
std::vector<const CLI::App*> shown_verbs(const CLI::App& app);

// `text` in lines of `columns`: paragraphs are filled anew, indented lines (examples) stay.
std::string filled(std::string_view text, std::size_t columns);

// The page of a verb, or of flatout itself.
std::string help_page(const CLI::App& app, std::size_t columns);

}  // namespace flatout::cli
