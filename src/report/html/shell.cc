#include "report/html/shell.h"

#include <string_view>
#include <utility>

#include "report/html/assets.h"
#include "report/html/parts.h"
#include "report/text_parts.h"

namespace flatout::report::html {
namespace {

constexpr std::string_view kChartHelp =
    "Charts: drag to zoom, Shift and drag (or drag the axis) to pan, double click to show all. "
    "With the keyboard: Tab to a chart, arrows move the cursor, + and - zoom, Shift and arrows "
    "pan, 0 shows all.";

// Style and script are named by their hashes, so that nothing else may run
// even if an escape were wrong; nothing may be fetched at all.
std::string content_security_policy() {
  return "default-src 'none'; style-src 'sha256-" + std::string(kStyleSha256) +
         "'; script-src 'sha256-" + std::string(kScriptSha256) +
         "'; base-uri 'none'; form-action 'none'";
}

void add_head(Markup& out, const Shell& shell) {
  const auto head = out.in("head");
  out.empty("meta", {{"charset", "utf-8"}});
  out.empty("meta",
            {{"http-equiv", "Content-Security-Policy"}, {"content", content_security_policy()}});
  out.empty("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  out.empty("meta", {{"name", "color-scheme"}, {"content", "light dark"}});
  const std::string version = shell.version.empty() ? "" : " " + shell.version;
  out.empty("meta", {{"name", "generator"}, {"content", "flatout" + version}});
  out.element("title", shell.title);
  out.own("<style>" + std::string(kStyle) + "</style>");
}

void add_page_header(Markup& out, const Shell& shell) {
  const auto header = out.in("header");
  out.element("p", {{"class", "brand"}}, shell.brand);
  out.element("h1", shell.heading);
  std::string below;
  for (const std::string& words : shell.below) {
    if (!words.empty()) below += (below.empty() ? "" : " \xc2\xb7 ") + words;
  }
  if (!below.empty()) out.element("p", {{"class", "sub"}}, below);
  out.element("button", {{"id", "theme"}, {"type", "button"}, {"hidden", "hidden"}},
              "Light or dark");
}

void add_navigation(Markup& out, const std::vector<Place>& places) {
  const auto nav = out.in("nav", {{"aria-label", "Sections"}});
  for (const Place& place : places) {
    out.element("a", {{"href", "#" + place.id}}, place.words);
    out.text(" ");
  }
}

}  // namespace

Shell trials_shell(Trials trials, const PageContext& context) {
  const std::string program = program_name(context.command);
  const std::string name = trials.verb + " " + trials.id;
  trials.below.insert(trials.below.begin(), name);
  trials.places.insert(trials.places.begin(), {"verdict", "Outcome"});
  trials.places.push_back({"figures", "Every figure"});
  return {.title = program + ": " + trials.headline + " (flatout " + name + ")",
          .version = context.version,
          .brand = "flatout " + trials.verb,
          .heading = program,
          .below = std::move(trials.below),
          .places = std::move(trials.places)};
}

std::string page_of(const Shell& shell, const std::function<void(Markup&)>& content) {
  Markup out;
  out.own("<!DOCTYPE html>\n");
  out.open("html", {{"lang", "en"}});
  add_head(out, shell);
  {
    const auto body = out.in("body");
    add_stripes(out);
    add_page_header(out, shell);
    add_navigation(out, shell.places);
    {
      const auto main = out.in("main");
      content(out);
    }
    // Shown by the script, without which it would not be true.
    out.element("p", {{"id", "chart-help"}, {"class", "help"}, {"hidden", "hidden"}}, kChartHelp);
    {
      const auto floating = out.in("div", {{"class", "floating"}});
      out.element(
          "p",
          {{"id", "readout"}, {"role", "status"}, {"aria-live", "polite"}, {"hidden", "hidden"}},
          "");
    }
    out.own("<script>" + std::string(kScript) + "</script>");
  }
  return out.take() + "\n";
}

}  // namespace flatout::report::html
