#include <algorithm>
#include <sstream>
#include <string>

#include "cli/completions.h"
#include "cli/help_format.h"

namespace flatout::cli {
namespace {

// Of text, what roff would take for its own: escapes, minus signs, a line's first dot or quote.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  if (!out.empty() && (out[0] == '.' || out[0] == '\'')) out.insert(0, "\\&");
  return out;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return text;
}

// Paragraphs are filled by man; indented lines (examples) stay as they are.
std::string body(std::string_view text) {
  std::string out;
  bool example = false;
  const auto set = [&](bool wanted) {
    if (wanted != example) out += wanted ? ".nf\n" : ".fi\n";
    example = wanted;
  };
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) {
      set(false);
      out += ".PP\n";
      continue;
    }
    set(line[0] == ' ');
    out += roff(line) + "\n";
  }
  set(false);
  return out;
}

std::string options_text(const CLI::App& verb) {
  std::string out;
  for (const OptionWords& option : options_of(verb)) {
    std::string names = "\\fB" + roff(option.long_name) + "\\fR";
    if (!option.short_name.empty() && option.short_name != option.long_name) {
      names = "\\fB" + roff(option.short_name) + "\\fR, " + names;
    }
    if (!option.positional && !option.value.empty()) names += " \\fI" + roff(option.value) + "\\fR";
    out += ".TP\n" + names + "\n" + roff(option.text) + "\n";
  }
  return out;
}

}  // namespace

std::string manual_page(const CLI::App& app) {
  std::string out = ".\\\" Made by `flatout manual`.\n.TH FLATOUT 1 \"\" \"flatout " FLATOUT_VERSION
                    "\" \"User Commands\"\n.SH NAME\nflatout \\- measure a training program, say "
                    "why its device waits, and make it faster\n.SH SYNOPSIS\n";
  for (const CLI::App* verb : shown_verbs(app)) out += ".B " + roff(usage_of(*verb)) + "\n.br\n";
  out += ".SH DESCRIPTION\n" + roff(app.get_description()) + "\n.PP\n" + body(app.get_footer());
  for (const CLI::App* verb : shown_verbs(app)) {
    out += ".SH " + upper(verb->get_name()) + "\n.B " + roff(usage_of(*verb)) + "\n.PP\n" +
           roff(verb->get_description()) + ".\n" + options_text(*verb);
    if (!verb->get_footer().empty()) out += ".PP\n" + body(verb->get_footer());
  }
  return out;
}

}  // namespace flatout::cli
