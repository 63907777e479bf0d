// What every page has around its parts: head, policy, header, navigation, script.
// Internal to report/html.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/html/html.h"
#include "report/html/markup.h"

namespace flatout::report::html {

struct Place {  // a section that the navigation leads to
  std::string id, words;
};

struct Shell {
  std::string title;                    // of the window
  std::string version;                  // of the flatout that made it, "" = not known
  std::string brand;                    // "flatout report"
  std::string heading;                  // the program
  std::vector<std::string> below = {};  // what it was, in few words; empty ones are left out
  std::vector<Place> places = {};
};

// Runs of one program that belong together: a tune, a search.
struct Trials {
  std::string verb, id;            // "tune", "k7f2"
  std::string headline;            // of its outcome
  std::vector<std::string> below;  // beside the id
  std::vector<Place> places = {};  // between the outcome and every figure
};
Shell trials_shell(Trials trials, const PageContext& context);

// The whole page; `content` writes the sections.
std::string page_of(const Shell& shell, const std::function<void(Markup&)>& content);

}  // namespace flatout::report::html
