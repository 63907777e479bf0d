// html_examples DIR: every example report as DIR/NAME.html with its JSON beside
// it, and a hostile one, for the tests in tests/report.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "report/examples.h"
#include "report/html/html.h"
#include "report/html/picture.h"
#include "report/json.h"

int main(int argc, char** argv) {
  namespace report = flatout::report;
  if (argc != 2) {
    std::fprintf(stderr, "usage: html_examples DIR\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  const auto write = [&folder](const std::string& name, const flatout::run::Report& of,
                               const flatout::run::Charts& charts) {
    std::ofstream(folder / (name + ".html")) << report::to_html(of, charts);
    std::ofstream(folder / (name + ".json")) << report::to_json(of);
  };
  for (const auto& [name, of] : report::example_reports()) write(name, of, report::charts_for(of));
  write("one_gpu", report::gpu_report(), report::gpu_charts());
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    write("hostile" + std::to_string(seed), report::random_report(seed),
          report::random_charts(seed, seed % 4 == 0));
  }
  return 0;
}
