#include "store/parentage.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace flatout::store {
namespace {

// "a<b" is a run a whose parent is b.
std::vector<RunLink> linked(const std::vector<std::string>& words) {
  std::vector<RunLink> out;
  for (const std::string& word : words) {
    const std::string_view text = word;
    const std::size_t at = text.find('<');
    out.push_back(at == text.npos ? RunLink{text, ""}
                                  : RunLink{text.substr(0, at), text.substr(at + 1)});
  }
  return out;
}

struct Case {
  std::string what;
  std::vector<std::string> runs;
  std::map<std::string, std::string> first_of;
};

const Case kCases[] = {
    {"a run alone", {"a"}, {{"a", "a"}}},
    {"a trial", {"b<a", "a"}, {{"a", "a"}, {"b", "a"}}},
    {"a parent that is gone", {"b<a"}, {{"b", "b"}}},
    {"its own parent", {"a<a", "b<a"}, {{"a", "a"}, {"b", "a"}}},
    {"a trial of a trial", {"a", "b<a", "c<b", "d<c"}, {{"b", "a"}, {"c", "a"}, {"d", "a"}}},
    {"the same, newest first", {"d<c", "c<b", "b<a", "a"}, {{"b", "a"}, {"c", "a"}, {"d", "a"}}},
    {"whose first is gone", {"c<b", "b<a"}, {{"b", "b"}, {"c", "b"}}},
    {"two that name each other", {"a<b", "b<a"}, {{"a", "a"}, {"b", "b"}}},
    {"a circle of three", {"a<b", "b<c", "c<a"}, {{"a", "a"}, {"b", "b"}, {"c", "c"}}},
    {"trials of a circle",
     {"d<c", "a<b", "c<a", "b<a"},
     {{"a", "a"}, {"b", "b"}, {"c", "a"}, {"d", "a"}}},
    {"the same, met from the circle",
     {"b<a", "a<b", "c<a", "d<c"},
     {{"a", "a"}, {"b", "b"}, {"c", "a"}, {"d", "a"}}},
};

TEST(Parentage, EachRunHasOneThatAUserStarted) {
  for (const Case& one : kCases) {
    const Parentage parentage(linked(one.runs));
    for (const auto& [id, first] : one.first_of) {
      EXPECT_EQ(parentage.first_of(id), first) << one.what << ": " << id;
      EXPECT_FALSE(parentage.is_trial(first)) << one.what << ": " << id;
      EXPECT_TRUE(parentage.is_or_below(id, first)) << one.what << ": " << id;
    }
  }
}

TEST(Parentage, WhatIsBelowATrialIsNotWhatIsBeside) {
  const std::vector<std::string> words = {"a", "b<a", "c<b", "d<a"};
  const Parentage parentage(linked(words));
  EXPECT_TRUE(parentage.is_or_below("c", "b"));
  EXPECT_FALSE(parentage.is_or_below("d", "b"));
  EXPECT_FALSE(parentage.is_or_below("a", "b"));
}

TEST(Parentage, AChainOfManyTakesNoTimeToSpeakOf) {
  std::vector<std::string> words = {"r0"};
  for (int i = 1; i < 20'000; ++i) {
    words.push_back("r" + std::to_string(i) + "<r" + std::to_string(i - 1));
  }
  std::ranges::reverse(words);
  EXPECT_EQ(Parentage(linked(words)).first_of("r19999"), "r0");
}

}  // namespace
}  // namespace flatout::store
