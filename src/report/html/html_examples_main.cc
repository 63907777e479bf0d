// html_examples DIR: every example report as DIR/NAME.html with its JSON beside
// it, a comparison, a tune and a search, and hostile ones of each, for the tests
// in tests/report.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "report/compare_json.h"
#include "report/examples.h"
#include "report/html/html.h"
#include "report/html/picture.h"
#include "report/html/several_picture.h"
#include "report/json.h"
#include "report/search_json.h"
#include "report/tune_json.h"

namespace {

namespace report = flatout::report;

class Folder {
 public:
  explicit Folder(const char* path) : path_(path) {}
  void write(const std::string& name, const std::string& page, const std::string& json) const {
    std::ofstream(path_ / (name + ".html")) << page;
    std::ofstream(path_ / (name + ".json")) << json;
  }
  void add(const std::string& name, const report::ComparisonPicture& of) const {
    write(name, report::to_html(of.comparison, of.charts), report::to_json(of.comparison));
  }
  void add(const std::string& name, const flatout::run::TuneReport& of,
           const report::PageContext& context) const {
    write(name, report::to_html(of, context), report::tune_to_json(of, context.plan_file));
  }
  void add(const std::string& name, const flatout::run::SearchReport& of,
           const report::PageContext& context) const {
    write(name, report::to_html(of, context),
          report::search_to_json(of, context.best, context.plan_file));
  }

 private:
  std::filesystem::path path_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: html_examples DIR\n");
    return 2;
  }
  const Folder folder(argv[1]);
  const auto write = [&folder](const std::string& name, const flatout::run::Report& of,
                               const flatout::run::Charts& charts) {
    folder.write(name, report::to_html(of, charts), report::to_json(of));
  };
  for (const auto& [name, of] : report::example_reports()) write(name, of, report::charts_for(of));
  write("one_gpu", report::gpu_report(), report::gpu_charts());
  folder.add("compare", report::compared_runs());
  folder.add("tune", report::tuned_program(), report::page_context());
  folder.add("search", report::searched_space(), report::page_context());
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::string number = std::to_string(seed);
    write("hostile" + number, report::random_report(seed),
          report::random_charts(seed, seed % 4 == 0));
    folder.add("hostile_compare" + number, report::hostile_comparison(seed));
    folder.add("hostile_tune" + number, report::hostile_tune(seed), report::hostile_context(seed));
    folder.add("hostile_search" + number, report::hostile_search(seed),
               report::hostile_context(seed));
  }
  return 0;
}
