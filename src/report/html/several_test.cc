// The pages of comparisons, tunes and searches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "report/compare_json.h"
#include "report/html/html.h"
#include "report/html/several_picture.h"
#include "report/html/well_formed.h"
#include "report/search_json.h"
#include "report/tune_json.h"

namespace flatout::report {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string compared_page() {
  const ComparisonPicture picture = compared_runs();
  return to_html(picture.comparison, picture.charts);
}

TEST(SeveralPages, EveryNumberOfTheJsonStandsInThePage) {
  const PageContext context = page_context();
  const std::pair<std::string, std::string> pages[] = {
      {compared_page(), to_json(compared_runs().comparison)},
      {to_html(tuned_program(), context), tune_to_json(tuned_program(), context.plan_file)},
      {to_html(searched_space(), context),
       search_to_json(searched_space(), context.best, context.plan_file)}};
  for (const auto& [page, json] : pages) {
    EXPECT_EQ(problem_in(page), "");
    const auto shown = shown_numbers(page);
    const auto wanted = numbers_of(json);
    EXPECT_GT(wanted.size(), 5U);
    for (const double number : wanted) EXPECT_TRUE(shown.contains(number)) << number;
  }
}

TEST(SeveralPages, AComparisonIsInTheWordsOfItsText) {
  const std::string page = compared_page();
  for (const char* const words :
       {"before: 674 ms", "Faster</h2>", "m3qa (workers8) x7.2 [6.5, 7.3]: FASTER",
        "INPUT-BOUND (single_process_loading) \xe2\x86\x92 COMPUTE-BOUND",
        "Warning: the runs were made on different machines", "Resolved", "loader.workers",
        "not stated", "Steps of the baseline, k7f2 (before)", "Length of the steady steps",
        "+74 points"}) {
    EXPECT_THAT(page, HasSubstr(words));
  }
}

TEST(SeveralPages, WhatWasNotMeasuredIsNoNumber) {
  // The power of the baseline, and the time in `other`.
  const std::string page = compared_page();
  EXPECT_THAT(page, HasSubstr("GPU 0 power</th><td class=\"num\">not measured</td>"));
  run::TuneReport tuned = tuned_program();
  tuned.final->speedup.reset();
  tuned.final->samples_per_s.reset();
  const std::string tune = to_html(tuned, {});
  EXPECT_THAT(tune, HasSubstr("not measured"));
  EXPECT_THAT(tune, Not(HasSubstr("samples a second, after")));
  run::SearchReport search = searched_space();
  search.points.resize(0);
  search.final.reset();
  search.baseline.value.reset();
  const std::string empty = to_html(search, {});
  EXPECT_THAT(empty, HasSubstr("No point measured anything"));
  EXPECT_EQ(problem_in(empty), "");
}

TEST(SeveralPages, ATuneSaysTrialByTrialWhatWasKept) {
  const std::string page = to_html(tuned_program(), page_context());
  for (const char* const words :
       {"<h2 id=\"verdict-h\">x3.83 faster</h2>",
        "flatout run --plan flatout.toml -- python train.py --epochs 3", "num_workers 0 -&gt; 6",
        "x2.46 [2.41, 2.50]", "reverted: below the noise", "reverted: failed: exit status 1",
        "confirmed against the baseline", "precision.tf32",
        "Length of the steps, before and after"}) {
    EXPECT_THAT(page, HasSubstr(words));
  }
  run::TuneReport nothing = tuned_program();
  nothing.plan.entries.clear();
  nothing.final.reset();
  for (run::TuneTrial& trial : nothing.trials) trial.kept = false;
  EXPECT_THAT(to_html(nothing, {}), HasSubstr("nothing to change: no knob proved a gain"));
}

// "x1 faster, 1 to 1.1" says nothing.
TEST(SeveralPages, ASmallGainHasTheDigitsOfTheText) {
  const run::Speedup gain{1.04, 1.01, 1.07};
  const std::string tile = "<data value=\"1.04\">x1.04</data><small>1.01 to 1.07</small>";
  run::TuneReport tuned = tuned_program();
  tuned.final->speedup = gain;
  tuned.baseline.noise = 0.003;
  tuned.prediction_error_median = 0.004;
  const std::string tune = to_html(tuned, {});
  for (const std::string& words :
       {tile, std::string(">x1.04 faster</h2>"), std::string("<data value=\"0.003\">0.3 %</data>"),
        std::string("<data value=\"0.004\">0.4 %</data>")}) {
    EXPECT_THAT(tune, HasSubstr(words));
  }
  run::SearchReport search = searched_space();
  search.final->speedup = gain;
  EXPECT_THAT(to_html(search, {}), HasSubstr(tile));
  run::Comparison comparison = compared_runs().comparison;
  comparison.others[0].speedup = gain;
  EXPECT_THAT(to_html(comparison, {}), HasSubstr(tile));
  comparison.others[0].speedup = run::Speedup{0.25, 0.2, 0.5};
  EXPECT_THAT(to_html(comparison, {}),
              HasSubstr(">4.00x slower</data><small>2.00 to 5.00</small>"));
  comparison.others[0].speedup = run::Speedup{1.04, 1.01, std::nan("")};
  EXPECT_THAT(to_html(comparison, {}), Not(HasSubstr("speed over the baseline")));
}

// HTML makes a space of an end of line.
TEST(SeveralPages, ACommandThatIsCopiedLosesNoCharacter) {
  PageContext context = page_context();
  context.command = {"python", "caf\xc3\xa9.py", "a\nb"};
  EXPECT_THAT(to_html(tuned_program(), context),
              HasSubstr("-- python &#39;caf\xc3\xa9.py&#39; $&#39;a\\012b&#39;</code>"));
  context.command = {"python", "train.py", "--token=****"};
  EXPECT_THAT(to_html(tuned_program(), context),
              HasSubstr("flatout run --plan flatout.toml -- CMD</code>"));
  context.best = "NAME='caf\xc3\xa9' ./train 'a\nb'";
  EXPECT_THAT(to_html(searched_space(), context),
              HasSubstr("<code>NAME=&#39;caf\xc3\xa9&#39; ./train $&#39;a\\012b&#39;</code>"));
}

// Of "count" the script rounds to whole numbers: less than one sample in two seconds is not none.
TEST(SeveralPages, ThroughputIsARate) {
  run::TuneReport tuned = tuned_program();
  tuned.baseline.samples_per_s = 0.2;
  for (run::TuneTrial& trial : tuned.trials) trial.samples_per_s = 0.4;
  tuned.final->samples_per_s = 0.4;
  const std::string page = to_html(tuned, {});
  EXPECT_THAT(page, HasSubstr("data-y=\"0 0.4 per_s\""));
  EXPECT_THAT(page, HasSubstr(">0.2/s</text>"));
}

TEST(SeveralPages, ASearchShowsEveryPointAndWhyOneFailed) {
  const std::string page = to_html(searched_space(), page_context());
  for (const char* const words :
       {"Confirmed</h2>", "python train.py --epochs 3 --lr=0.3", "exit status 1 (no data)",
        "--lr=0.3 OMP_NUM_THREADS=2 num_workers=2", "Best of 4 points: #3", "By --lr",
        "#2 after 60 steps"}) {
    EXPECT_THAT(page, HasSubstr(words));
  }
}

TEST(SeveralPages, WhatWasNotConfirmedIsNotAdvised) {
  run::SearchReport search = searched_space();
  search.final->confirmed = false;
  const std::string page = to_html(search, page_context());
  EXPECT_THAT(page, HasSubstr("<p>Best: <code>python train.py"));
  EXPECT_THAT(page, HasSubstr("It was not shown to be better than the program as it is."));
  EXPECT_THAT(page, Not(HasSubstr("Use it")));
  EXPECT_THAT(to_html(searched_space(), page_context()), HasSubstr("<p>Use it: <code>"));
}

TEST(SeveralPages, HostileTextStaysTextAndNumbersThatAreNoneAreNotDrawn) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const ComparisonPicture compared = hostile_comparison(seed);
    for (const std::string& page : {to_html(compared.comparison, compared.charts),
                                    to_html(hostile_tune(seed), hostile_context(seed)),
                                    to_html(hostile_search(seed), hostile_context(seed))}) {
      ASSERT_EQ(problem_in(page), "") << "seed " << seed;
      for (const char* const number : {"\"nan", "nan%", "\"inf", "inf%", "\"-nan", "-inf\""}) {
        EXPECT_EQ(page.find(number), std::string::npos) << seed << number;
      }
    }
  }
}

}  // namespace
}  // namespace flatout::report
