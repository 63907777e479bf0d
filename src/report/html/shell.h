// What every page has around its parts: head, policy, header, navigation, script.
// Internal to report/html.
#pragma once

#include <functional>
#include <string>
#include <vector>

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

// The whole page; `content` writes the sections.
std::string page_of(const Shell& shell, const std::function<void(Markup&)>& content);

}  // namespace flatout::report::html
