#include "serve/query/query.h"

#include <gtest/gtest.h>

#include <string>

namespace flatout::serve {
namespace {

Json example_row() {
  return Json::parse(
      R"({"id":"k7f2","name":"resnet-50","state":"failed","command":"python train.py",
    "median_ms":12.5,"steps":null,"kind":"run","note":"","tags":["best","v2"],
    "verdict":{"finding":"input_bound"},
    "tracked":{"project":"vision","config":{"lr":0.005,"optimizer":{"name":"adam"},"a.b":3},
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
        "summary.ok == true", "finding == input_bound", "state = \"failed\"", "project == vision",
        "summary.loss < summary.train/loss", "lr < 0.01 or vgg"}) {
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
  for (const char* text : {"tag(\"best\")", "tag(best)", "\"best\" in tags", "tags contains v2",
                           "state in (failed, \"lost\")", "state in [lost failed]",
                           "name contains NET", "not tag(old)"}) {
    EXPECT_TRUE(fits(text)) << text;
  }
  for (const char* text : {"tag(bes)", "state in (lost)", "state in ()", "name contains vgg"})
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

TEST(Query, SortsAbsentLast) {
  const Json row = example_row();
  EXPECT_TRUE(field_before(field_of(row, "median_ms"), field_of(row, "steps")));
  EXPECT_FALSE(field_before(field_of(row, "steps"), field_of(row, "median_ms")));
  EXPECT_TRUE(field_before(field_of(row, "config.lr"), field_of(row, "summary.loss")));
  EXPECT_FALSE(field_before(nullptr, nullptr));
}

}  // namespace
}  // namespace flatout::serve
