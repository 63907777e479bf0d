#include <algorithm>
#include <cmath>

#include "report/html/parts.h"
#include "report/html/scale.h"
#include "report/quantity.h"
#include "report/text_parts.h"

namespace flatout::report::html {
namespace {

void stage_table(Page& page, const run::LoaderReport& loader) {
  if (loader.stages.empty()) return;
  const Table table(page.out,
                    "What the preparation of a sample is made of, share of its wall time in one "
                    "worker",
                    {"Stage", "", "Share", "Per sample"}, "stages");
  const auto body = page.out.in("tbody");
  for (const run::StageShare& stage : loader.stages) {
    const auto row = page.out.in("tr");
    page.out.element("th", {{"scope", "row"}}, stage.name);
    {
      const auto cell = page.out.in("td", {{"class", "wide"}});
      const double shown = std::isfinite(stage.share) ? std::clamp(stage.share, 0.0, 1.0) : 0;
      const auto svg = page.out.in(
          "svg",
          {{"class", "share"}, {"width", "100%"}, {"height", "14"}, {"aria-hidden", "true"}});
      page.out.empty(
          "rect", {{"class", "r-worker"}, {"height", "14"}, {"width", exact(shown * 100) + "%"}});
    }
    {
      const auto cell = page.out.in("td", {{"class", "num"}});
      page.out.number(stage.share, format_percent(stage.share));
    }
    page.out.element("td", {{"class", "num"}},
                     loader.sample_ms ? format_ms(*loader.sample_ms * stage.share) : "");
  }
}

}  // namespace

void add_loader(Page& page) {
  if (!page.report.loader) return;
  const run::LoaderReport& loader = *page.report.loader;
  const auto part = section(page.out, "loader", "The loader");
  {
    const auto list = page.out.in("dl", {{"class", "facts"}});
    for (const auto& item : page.figures["loader"].items()) {
      if (item.key() == "stages") continue;
      const KeyWords key = key_words(item.key());
      const auto group = page.out.in("div");
      page.out.element("dt", key.words);
      const auto description = page.out.in("dd");
      if (item.key() == "built_at") {
        page.out.element("code", relative_paths(loader.built_at, page.report.run.cwd));
      } else {
        show(page.out, item.value(), key.unit);
      }
    }
  }
  stage_table(page, loader);
}

}  // namespace flatout::report::html
