#include "serve/query/query.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "serve/query/known_fields.h"

namespace flatout::serve {
namespace {

Json example_row() {
  return Json::parse(
      R"({"id":"k7f2","name":"resnet-50","state":"failed","command":"python train.py",
    "median_ms":12.5,"steps":null,"kind":"run","note":"","tags":["best","v2"],
    "verdict":{"finding":"input_bound"},
    "tracked":{"project":"vision","tags":["toy","two words"],"config":{"lr":0.005,"optimizer":{"name":"adam"},"a.b":3},
               "summary":{"loss":0.25,"train/loss":0.3,"ok":true}}})");
}

bool fits(const std::string& text) {
  const auto query = Query::parse(text);
  EXPECT_TRUE(query) << text << ": " << (query ? "" : query.error().message);
  return query && query->fits(example_row());
}

std::string problem(const std::string& text) {
  const auto query = Query::parse(text);
  return query ? "" : query.error().message;
}

TEST(Query, FindsWordsWhereAPersonWouldLook) {
  for (const char* word : {"", "  ", "k7f2", "RESNET", "train.py", "best", "vision",
                           "\"resnet-50\"", "resnet vision"}) {
    EXPECT_TRUE(fits(word)) << word;
  }
  for (const char* word : {"vgg", "resnet vgg", "not resnet", "adam"})
    EXPECT_FALSE(fits(word)) << word;
}

TEST(Query, ComparesFields) {
  for (const char* text :
       {"median_ms < 13", "median_ms >= 12.5", "median_ms != 3", "config.lr <= 0.005",
        "config.optimizer.name == adam", "config.a.b == 3", "summary.train/loss > 0.2",
        "summary.ok == true", "finding == input_bound", "verdict == input_bound",
        "verdict contains bound", "verdict in (input_bound)", "state = \"failed\"",
        "project == vision", "summary.loss < summary.train/loss", "lr < 0.01 or vgg"}) {
    EXPECT_TRUE(fits("(" + std::string(text) + ")") || std::string(text).starts_with("lr")) << text;
  }
  for (const char* text :
       {"median_ms < 12", "state == finished", "config.lr > 1", "config.optimizer.name == 3"}) {
    EXPECT_FALSE(fits(text)) << text;
  }
}

TEST(Query, WhatARunDoesNotHaveFitsNoComparison) {
  for (const char* text :
       {"steps < 5", "steps >= 5", "steps != 5", "config.none == 1", "config.none != 1"}) {
    EXPECT_FALSE(fits(text)) << text;
    EXPECT_TRUE(fits("not " + std::string(text))) << text;
  }
}

TEST(Query, HasTagsListsAndContains) {
  for (const char* text :
       {"tag(\"best\")", "tag(best)", "\"best\" in tags", "tags contains v2", "tag(toy)",
        "\"toy\" in tags", "tags contains toy", "tag(\"two words\")", "tags in (old, toy)", "TOY",
        "tags == toy", "tags == best", "state in (failed, \"lost\")", "state in [lost failed]",
        "name contains NET", "not tag(old)"}) {
    EXPECT_TRUE(fits(text)) << text;
  }
  for (const char* text : {"tag(bes)", "tag(to)", "tags in (old)", "tags == old", "state in (lost)",
                           "state in ()", "name contains vgg"})
    EXPECT_FALSE(fits(text)) << text;
}

TEST(Query, OrBindsLooserThanAnd) {
  EXPECT_TRUE(fits("resnet or vgg and nothing"));
  EXPECT_FALSE(fits("(resnet or vgg) and nothing"));
  EXPECT_TRUE(fits("not vgg and not not resnet"));
}

TEST(Query, NamesTheColumnOfAMistake) {
  EXPECT_EQ(problem("state == "), "column 10: a value is missing behind ==");
  EXPECT_EQ(problem("(a or b"), "column 8: a ) is missing");
  EXPECT_EQ(problem("name == 'x"), "column 9: the quote is not closed");
  EXPECT_EQ(problem("a and"), "column 6: the query ends too early");
  EXPECT_EQ(problem("a ) b"), "column 3: ')' is not expected here");
  EXPECT_EQ(problem("3 < 4").substr(0, 9), "column 1:");
  EXPECT_EQ(problem("a ! b").substr(0, 9), "column 3:");
  EXPECT_EQ(problem("state in (a").substr(0, 10), "column 12:");
  EXPECT_NE(problem(std::string(200, '(') + "a"), "");
  EXPECT_NE(problem(std::string(5000, 'a')), "");
}

TEST(Query, SaysWhichFieldsNoRunHas) {
  const Json row = example_row();
  const Json* rows[] = {&row};
  const auto said = [&](const std::string& text) {
    const auto query = Query::parse(text);
    const auto all = query ? unknown_fields(*query, rows) : std::vector<std::string>{"no query"};
    return all.empty() ? "" : all.size() == 1 ? all[0] : std::to_string(all.size());
  };
  for (const char* text : {"resnet bogus", "verdict == x", "trials > 3", "steps < 3", "tag(x)",
                           "not tags contains x", "config.lr < 3", "optimizer.name == adam"}) {
    EXPECT_EQ(said(text), text == std::string("optimizer.name == adam")
                              ? "no run has optimizer.name; did you mean config.optimizer.name?"
                              : "")
        << text;
  }
  EXPECT_EQ(said("bogus == 3"), "no run has bogus");
  EXPECT_EQ(said("x or not (resnet and lr < 1)"), "no run has lr; did you mean config.lr?");
  EXPECT_EQ(said("config.rl < 1 and config.rl > 0"),
            "no run has config.rl; did you mean config.lr?");
  EXPECT_EQ(said("steps < summary.los"), "no run has summary.los; did you mean summary.loss?");
  EXPECT_EQ(said("aaa == 1 and bbb in (2)"), "2");
  EXPECT_EQ(said(std::string(3000, 'a') + " == 1"), "no run has " + std::string(3000, 'a'));
  EXPECT_TRUE(unknown_fields(*Query::parse("bogus == 3"), {}).empty()) << "nobody knows";
}

TEST(Query, KnowsWhetherItLeavesTrialsOut) {
  for (const char* text : {"kind != trial", "(a or b) and kind != \"trial\"", "a kind != trial"})
    EXPECT_TRUE(Query::parse(text)->without_trials()) << text;
  for (const char* text : {"", "a or kind != trial", "kind == trial", "not kind != trial"})
    EXPECT_FALSE(Query::parse(text)->without_trials()) << text;
}

TEST(Query, SortsAbsentLast) {
  const Json row = example_row();
  EXPECT_TRUE(field_before(field_of(row, "median_ms"), field_of(row, "steps")));
  EXPECT_FALSE(field_before(field_of(row, "steps"), field_of(row, "median_ms")));
  EXPECT_TRUE(field_before(field_of(row, "config.lr"), field_of(row, "summary.loss")));
  EXPECT_FALSE(field_before(nullptr, nullptr));
  EXPECT_EQ(*field_of(row, "verdict"), "input_bound") << "the list is sorted by it";
}

}  // namespace
}  // namespace flatout::serve
