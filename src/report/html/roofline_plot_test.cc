#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "report/html/parts.h"
#include "report/html/well_formed.h"

namespace flatout::report::html {
namespace {

run::RooflineReport gemm_on_v100() {
  run::RooflineReport out;
  out.peaks = {.source = "data sheet",
               .float32_tflops = 15.7,
               .tf32_tflops = {},
               .float16_tflops = 125,
               .bfloat16_tflops = 125,
               .float8_tflops = {},
               .memory_gb_per_s = 1000};
  run::RooflineClassReport gemm;
  gemm.kernel_class = "gemm";
  gemm.tflops = 10;
  gemm.flops_per_byte = 100;
  out.classes.push_back(gemm);
  return out;
}

std::string plot_of(const run::RooflineReport& roofline) {
  Markup out;
  {
    const auto page = out.in("main");
    add_roofline_plot(out, roofline);
  }
  return out.take();
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(RooflinePlot, PutsAClassByPowersOfTen) {
  const std::string plot = plot_of(gemm_on_v100());
  EXPECT_EQ(problem_in("<!DOCTYPE html>\n" + plot), "");
  // x from 10^0 to 10^3, y from 10^1 to 10^3: 100 FLOPs a byte are at two thirds, 10 TFLOP/s below.
  EXPECT_TRUE(has(plot, "data-x=\"0 3 log10\"")) << plot;
  EXPECT_TRUE(has(plot, "data-y=\"1 3 log10 TFLOP/s\"")) << plot;
  EXPECT_TRUE(has(plot, "data-name=\"gemm\" data-value=\"1\" cx=\"66.67%\"")) << plot;
  EXPECT_TRUE(has(plot, "float16, bfloat16 125 TFLOP/s"));
  EXPECT_TRUE(has(plot, "float32 15.7 TFLOP/s"));
  EXPECT_FALSE(has(plot, "TF32"));  // the device has none
}

TEST(RooflinePlot, IsNotThereWhereAFigureIsMissing) {
  const std::string nothing = plot_of({});
  run::RooflineReport no_peaks = gemm_on_v100(), no_shapes = gemm_on_v100(), odd = gemm_on_v100();
  no_peaks.peaks.reset();
  no_shapes.classes[0].tflops.reset();
  odd.peaks->memory_gb_per_s = std::numeric_limits<double>::quiet_NaN();
  for (const auto& report : {no_peaks, no_shapes, odd}) EXPECT_EQ(plot_of(report), nothing);
}

TEST(RooflinePlot, NamesDoNotLieOnEachOther) {
  run::RooflineReport report = gemm_on_v100();
  report.classes.push_back(report.classes[0]);
  report.classes[1].kernel_class = "attention";
  const std::string plot = plot_of(report);
  const auto height_of = [&](const std::string& name) {
    const std::size_t end = plot.find("\u00a0 \u00a0" + name + "<");
    const std::size_t begin = plot.rfind(" y=\"", end);
    return plot.substr(begin, plot.find('"', begin + 4) - begin);
  };
  EXPECT_NE(height_of("gemm"), height_of("attention"));
}

}  // namespace
}  // namespace flatout::report::html
