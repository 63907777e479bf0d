// The top of a page, and gains as dots on one axis.
#include <algorithm>
#include <cmath>

#include "report/html/parts.h"
#include "report/html/scale.h"
#include "report/text_parts.h"
#include "run/speedup_text.h"

namespace flatout::report::html {
namespace {

bool is_finite_gain(const run::Speedup& gain) {
  return std::isfinite(gain.ratio) && std::isfinite(gain.lo) && std::isfinite(gain.hi);
}

}  // namespace

void answer_box(Markup& out, const Answer& answer) {
  out.line();
  const auto part = out.in("section", {{"id", "verdict"}, {"aria-labelledby", "verdict-h"}});
  {
    const auto box = out.in("div", {{"class", "verdict"}});
    out.element("h2", {{"id", "verdict-h"}}, answer.headline);
    bool first = true;
    for (const std::string& line : answer.lines) {
      if (line.empty()) continue;
      if (first) {
        out.element("p", {{"class", "summary"}}, line);
      } else {
        out.element("p", line);
      }
      first = false;
    }
    if (!answer.command.empty()) {
      const auto line = out.in("p");
      out.text(answer.command_label + ": ");
      out.element("code", answer.command);
    }
  }
  for (const std::string& note : answer.notes) out.element("p", {{"class", "note"}}, note);
}

void tile(Markup& out, std::string_view name, double value, std::string_view shown,
          std::string_view more) {
  const auto group = out.in("div");
  out.element("dt", name);
  const auto description = out.in("dd");
  out.number(value, shown);
  if (!more.empty()) out.element("small", more);
}

void gain_tile(Markup& out, std::string_view name, const std::optional<run::Speedup>& gain) {
  if (!gain) return;
  const auto [ratio, interval] = speedup_parts(run::speedup_text(*gain, kMeasuredDecimals));
  if (!ratio.empty()) tile(out, name, gain->ratio, ratio, interval);
}

void GainAxis::include(const std::optional<run::Speedup>& gain) {
  if (!gain || !is_finite_gain(*gain)) return;
  lo_ = std::min({lo_, gain->lo, gain->ratio});
  hi_ = std::max({hi_, gain->hi, gain->ratio});
}

void GainAxis::draw(Markup& out, const std::string& css_class, const run::Speedup& gain) const {
  if (!is_finite_gain(gain)) return;
  // Room for a dot at either end; an axis of nothing but 1 is as wide as ten per cent.
  const double span = std::max(hi_ - lo_, 0.1);
  const auto place = [&](double ratio) {
    const double share = std::clamp((ratio - lo_) / span, 0.0, 1.0);
    return exact(std::round(40 + share * 920) / 10) + "%";
  };
  const auto svg = out.in("svg", {{"width", "100%"}, {"height", "16"}, {"aria-hidden", "true"}});
  const auto line = [&](const char* name, double from, double to, const char* y1, const char* y2) {
    out.empty("line",
              {{"class", name}, {"x1", place(from)}, {"x2", place(to)}, {"y1", y1}, {"y2", y2}});
  };
  line("even", 1, 1, "0", "16");
  line("whisker", gain.lo, gain.hi, "8", "8");
  for (const double end : {gain.lo, gain.hi}) line("whisker", end, end, "4", "12");
  out.empty("circle",
            {{"class", "dot " + css_class}, {"cx", place(gain.ratio)}, {"cy", "8"}, {"r", "4"}});
}

}  // namespace flatout::report::html
