#include "report/html/well_formed.h"

#include <cctype>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <utility>
#include <vector>

namespace flatout::report {
namespace {

const std::set<std::string> kElements = {
    "circle", "html",       "head",    "meta",    "title",  "style", "body", "header",  "nav",
    "main",   "section",    "article", "h1",      "h2",     "h3",    "h4",   "p",       "a",
    "ul",     "li",         "dl",      "div",     "dt",     "dd",    "data", "small",   "code",
    "span",   "button",     "table",   "caption", "thead",  "tbody", "tr",   "th",      "td",
    "figure", "figcaption", "details", "summary", "script", "svg",   "defs", "pattern", "desc",
    "rect",   "line",       "path",    "text"};
// None of them runs anything or fetches anything; href is looked at by itself.
const std::set<std::string> kAttributes = {"lang",
                                           "charset",
                                           "http-equiv",
                                           "content",
                                           "name",
                                           "id",
                                           "class",
                                           "type",
                                           "hidden",
                                           "href",
                                           "role",
                                           "tabindex",
                                           "value",
                                           "scope",
                                           "width",
                                           "height",
                                           "viewBox",
                                           "preserveAspectRatio",
                                           "x",
                                           "y",
                                           "dx",
                                           "x1",
                                           "x2",
                                           "y1",
                                           "y2",
                                           "d",
                                           "visibility",
                                           "text-anchor",
                                           "patternUnits",
                                           "aria-label",
                                           "aria-labelledby",
                                           "aria-hidden",
                                           "aria-live",
                                           "data-at",
                                           "data-label",
                                           "data-steps",
                                           "data-value",
                                           "cx",
                                           "cy",
                                           "r",
                                           "data-x",
                                           "data-y",
                                           "data-h",
                                           "data-name"};

// One tag, taken apart by hand: std::regex recurses once a character, and a path
// of an SVG is longer than a sanitizer's stack.
struct Tag {
  bool closes = false;
  bool empty = false;  // <x/>
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;
};

std::string word_at(const std::string& text, std::size_t& at) {
  const std::size_t begin = at;
  while (at < text.size() &&
         (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '-')) {
    ++at;
  }
  return text.substr(begin, at - begin);
}

// `text` is all from '<' to '>'. Empty when that is no tag.
std::optional<Tag> tag_of(const std::string& text) {
  Tag tag;
  std::size_t at = 1;
  if (text[at] == '/') tag.closes = true, ++at;
  tag.name = word_at(text, at);
  while (at < text.size() && text[at] == ' ') {
    ++at;
    const std::string key = word_at(text, at);
    if (key.empty() || text.compare(at, 2, "=\"") != 0) return std::nullopt;
    const std::size_t begin = at + 2;
    const std::size_t end = text.find('"', begin);
    if (end == std::string::npos) return std::nullopt;
    tag.attributes.emplace_back(key, text.substr(begin, end - begin));
    if (tag.attributes.back().second.contains('<')) return std::nullopt;
    at = end + 1;
  }
  if (text[at] == '/') tag.empty = true, ++at;
  if (tag.name.empty() || at + 1 != text.size()) return std::nullopt;
  return tag;
}

std::string tag_problem(const Tag& tag) {
  if (!kElements.contains(tag.name)) return "unknown element " + tag.name;
  for (const auto& [key, value] : tag.attributes) {
    if (!kAttributes.contains(key)) return "unknown attribute " + key;
    if (key == "href" && !value.starts_with('#')) return "a link out of the page";
  }
  return "";
}

}  // namespace

std::string problem_in(const std::string& page) {
  const std::string doctype = "<!DOCTYPE html>\n";
  if (!page.starts_with(doctype)) return "no doctype";
  std::vector<std::string> open;
  for (std::size_t at = doctype.size(); at < page.size();) {
    if (page[at] != '<') {
      const unsigned char c = static_cast<unsigned char>(page[at]);
      if (c < 0x20 && c != '\n' && c != '\t') return "a control character";
      ++at;
      continue;
    }
    const std::size_t end = page.find('>', at);
    if (end == std::string::npos) return "a tag that does not end";
    const std::string text = page.substr(at, end + 1 - at);
    const auto tag = tag_of(text);
    if (!tag) return "not a tag: " + text.substr(0, 80);
    if (const std::string problem = tag_problem(*tag); !problem.empty()) return problem;
    at = end + 1;
    if (tag->closes) {
      if (open.empty() || open.back() != tag->name) return "stray </" + tag->name + ">";
      open.pop_back();
    } else if (!tag->empty) {
      open.push_back(tag->name);
      if (tag->name == "style" || tag->name == "script") at = page.find("</" + tag->name + ">", at);
    }
  }
  return open.empty() ? "" : "not closed: " + open.back();
}

std::set<double> shown_numbers(const std::string& page) {
  static const std::regex kData(R"rx(<data value="([^"]*)">)rx");
  std::set<double> out;
  for (std::sregex_iterator it(page.begin(), page.end(), kData), last; it != last; ++it) {
    out.insert(std::strtod((*it)[1].str().c_str(), nullptr));
  }
  return out;
}

namespace {

void collect(const nlohmann::json& value, std::set<double>& out) {
  if (value.is_number()) out.insert(value.get<double>());
  for (const auto& item : value) {
    if (value.is_structured()) collect(item, out);
  }
}

}  // namespace

std::set<double> numbers_of(const std::string& json) {
  std::set<double> out;
  collect(nlohmann::json::parse(json), out);
  return out;
}

}  // namespace flatout::report
