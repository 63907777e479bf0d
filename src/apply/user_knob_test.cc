#include "apply/user_knob.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <set>

namespace flatout::apply {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Words = std::vector<std::string>;

TEST(UserKnob, ReadsRangesAndLists) {
  struct Case {
    const char* text;
    const char* name;
    const char* pattern;
    Words values;
  };
  const Case cases[] = {
      {"workers=--workers={0..3}", "workers", "--workers={}", {"0", "1", "2", "3"}},
      {"w=-w {2..12..5}", "w", "-w {}", {"2", "7", "12"}},
      {"w=-w{2..12..100}", "w", "-w{}", {"2"}},
      {"down=--n={-2..1}", "down", "--n={}", {"-2", "-1", "0", "1"}},
      {"omp=env:OMP_NUM_THREADS={1, 2,4}", "omp", "env:OMP_NUM_THREADS={}", {"1", "2", "4"}},
      {"kind=--kind={a,b c}", "kind", "--kind={}", {"\"a\"", "\"b c\""}},
      {"lr=lr={0.1,1e-3,01},x", "lr", "lr={},x", {"0.1", "\"1e-3\"", "\"01\""}},
      {"path=--p={../a,../b}", "path", "--p={}", {"\"../a\"", "\"../b\""}},
      {"one=--p={4}", "one", "--p={}", {"4"}},
      {"env_text=env:O=a={1,2} b", "env_text", "env:O=a={} b", {"1", "2"}},
  };
  for (const Case& wanted : cases) {
    const auto knob = parse_user_knob(wanted.text);
    ASSERT_TRUE(knob) << wanted.text << ": " << knob.error().message;
    EXPECT_EQ(knob->name, wanted.name);
    EXPECT_EQ(knob->pattern, wanted.pattern);
    EXPECT_EQ(knob->values, wanted.values) << wanted.text;
  }
}

TEST(UserKnob, SaysWhatIsWrongAndWhatToWrite) {
  const std::pair<std::string, std::string> cases[] = {
      {"workers", "write NAME=ARGUMENT"},
      {"=--w={1,2}", "write NAME=ARGUMENT"},
      {"a b=--w={1,2}", "letters, digits, _ and -"},
      {std::string(65, 'a') + "=--w={1,2}", "1 to 64"},
      {"num_workers=--w={1,2}", "dataloader.num_workers"},
      {"w=--w=4", "one pair of braces"},
      {"w=--w={1,2", "one pair of braces"},
      {"w=--w=}1,2{", "one pair of braces"},
      {"w=--w={1}{2}", "one pair of braces"},
      {"w=--w={{1}}", "one pair of braces"},
      {"w=--w={}", "is empty"},
      {"w=--w={1,,2}", "is empty"},
      {"w=--w={1,2,1}", "twice"},
      {"w=--w={1..}", "is no range"},
      {"w=--w={a..b}", "is no range"},
      {"w=--w={1..2..3..4}", "is no range"},
      {"w=--w={5..1}", "must go up"},
      {"w=--w={1..5..0}", "must go up"},
      {"w=--w={0..1000}", "more than 1000"},
      {"w=--w={-9223372036854775808..9223372036854775807}", "more than 1000"},
      {"w=--w={a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q}", "at most 16 texts"},
      {"w={1,2}", "text before the braces"},
      {"w=a b {1,2}", "one argument, or an option and its value"},
      {"w=-w{1,2} x", "one argument, or an option and its value"},
      {"w=env:{1,2}", "must name a variable"},
      {"w=env:={1,2}", "must name a variable"},
      {"w=env:9A={1,2}", "must name a variable"},
      {"w=env:A-B={1,2}", "must name a variable"},
      {"w=env:A{1,2}=3", "must name a variable"},
      {"w=env:FLATOUT_PLAN={1,2}", "flatout's own"},
  };
  for (const auto& [text, words] : cases) {
    const auto knob = parse_user_knob(text);
    ASSERT_FALSE(knob) << text;
    EXPECT_EQ(knob.error().code, base::ErrorCode::kInvalid);
    EXPECT_THAT(knob.error().message, testing::AllOf(HasSubstr("--knob"), HasSubstr(words)))
        << text;
  }
}

TEST(UserKnob, AnArgumentIsReplacedInItsFormOrAppended) {
  struct Case {
    Words command;
    const char* pattern;
    const char* value;
    Words expected;
    const char* from;
  };
  const Case cases[] = {
      {{"t", "--workers=2", "x"}, "--workers={}", "4", {"t", "--workers=4", "x"}, "2"},
      {{"t", "--workers", "2", "x"}, "--workers={}", "4", {"t", "--workers", "4", "x"}, "2"},
      {{"t", "--workers", "-1"}, "--workers={}", "4", {"t", "--workers", "4"}, "-1"},
      {{"t", "--workers=auto"}, "--workers={}", "4", {"t", "--workers=4"}, "\"auto\""},
      {{"t", "--workers=2"}, "--workers {}", "4", {"t", "--workers=4"}, "2"},
      {{"t", "--workers", "2"}, "--workers {}", "4", {"t", "--workers", "4"}, "2"},
      {{"t"}, "--workers {}", "4", {"t", "--workers", "4"}, ""},
      {{"t"}, "--workers={}", "4", {"t", "--workers=4"}, ""},
      {{"t", "--", "file"}, "--workers={}", "4", {"t", "--", "file", "--workers=4"}, ""},
      // Of several the last.
      {{"t", "-w", "1", "-w", "2"}, "-w {}", "4", {"t", "-w", "1", "-w", "4"}, "2"},
      // The next word is no value.
      {{"t", "--workers", "--x"},
       "--workers={}",
       "4",
       {"t", "--workers", "--x", "--workers=4"},
       ""},
      {{"t", "--workers"}, "--workers={}", "4", {"t", "--workers", "--workers=4"}, ""},
      // A name that goes on is another argument.
      {{"t", "--workers-max=2"}, "--workers={}", "4", {"t", "--workers-max=2", "--workers=4"}, ""},
      {{"t", "-json", "-j8"}, "-j{}", "4", {"t", "-json", "-j4"}, "8"},
      {{"t", "-json"}, "-j{}", "4", {"t", "-json", "-j4"}, ""},
      {{"t", "-Ofast"}, "-O{}", "\"small\"", {"t", "-Ofast", "-Osmall"}, ""},
      // Text on both sides.
      {{"t", "opt=lr=0.1,x"}, "opt=lr={},x", "0.2", {"t", "opt=lr=0.2,x"}, "0.1"},
      {{"t", "opt=lr=0.1,y"}, "opt=lr={},x", "0.2", {"t", "opt=lr=0.1,y", "opt=lr=0.2,x"}, ""},
      {{"t", "-o", "lr=1,x"}, "-o lr={},x", "2", {"t", "-o", "lr=2,x"}, "1"},
      {{"t", "-o", "m=1"}, "-o lr={}", "2", {"t", "-o", "m=1", "-o", "lr=2"}, ""},
      // The program's own name is no argument.
      {{"--workers=1"}, "--workers={}", "4", {"--workers=1", "--workers=4"}, ""},
      {{"t", "--kind", "b c"}, "--kind={}", "\"d e\"", {"t", "--kind", "d e"}, "\"b c\""},
  };
  for (const Case& wanted : cases) {
    const std::string what = testing::PrintToString(wanted.command) + " " + wanted.pattern;
    EXPECT_EQ(set_argument(wanted.command, wanted.pattern, wanted.value), wanted.expected) << what;
    EXPECT_EQ(argument_value(wanted.command, wanted.pattern, wanted.value), wanted.from) << what;
  }
}

// Whatever the command: what was set is found again, and only one word more or other.
TEST(UserKnob, WhatIsSetIsFound) {
  std::mt19937 random(5);
  const Words pieces = {"t",  "--workers", "--workers=", "--workers=3", "-w", "-w5",        "7",
                        "-1", "",          "--",         "x",           "=",  "--workers=a"};
  for (int round = 0; round < 800; ++round) {
    Words command = {"program"};
    const auto words = random() % 6;
    for (unsigned i = 0; i < words; ++i) command.push_back(pieces[random() % pieces.size()]);
    for (const char* pattern : {"--workers={}", "--workers {}", "-w{}", "-w {}"}) {
      const Words set = set_argument(command, pattern, "42");
      EXPECT_EQ(argument_value(set, pattern, "42"), "42")
          << testing::PrintToString(command) << pattern;
      EXPECT_GE(set.size(), command.size());
      EXPECT_EQ(set_argument(set, pattern, "42"), set);
    }
  }
}

TEST(UserKnob, VariablesAreSetWhole) {
  EXPECT_EQ(set_variable("env:OMP_NUM_THREADS={}", "4"),
            std::pair(std::string("OMP_NUM_THREADS"), std::string("4")));
  EXPECT_EQ(set_variable("env:CONF=a:{},b", "\"x\"").second, "a:x,b");
  EXPECT_EQ(variable_value(std::nullopt, "env:CONF={}"), "");
  EXPECT_EQ(variable_value("4", "env:CONF={}"), "4");
  EXPECT_EQ(variable_value("a:4,b", "env:CONF=a:{},b"), "4");
  EXPECT_EQ(variable_value("other", "env:CONF=a:{},b"), "\"other\"");
  EXPECT_EQ(variable_name("--workers={}"), "");
}

TEST(UserKnob, ProposesItsValuesButThePresentOne) {
  run::Report report;
  const Knob knob = knob_of(*parse_user_knob("workers=--workers={0..2}"));
  EXPECT_EQ(knob.id, "user.workers");
  EXPECT_EQ(knob.pattern, "--workers={}");
  EXPECT_EQ(knob.propose({.report = report}).candidates.at(0).screen, (Words{"0", "1", "2"}));
  const Knob declared = knob_of(run::DeclaredKnob{"depth", 2, 1, 3});
  EXPECT_EQ(declared.id, "program.depth");
  const auto proposal = declared.propose({.report = report});
  EXPECT_EQ(proposal.candidates.at(0).screen, (Words{"1", "3"}));
  EXPECT_EQ(proposal.candidates.at(0).from, "2");
  const Knob fixed = knob_of(run::DeclaredKnob{"depth", 2, 2, 2});
  EXPECT_THAT(fixed.propose({.report = report}).why_not, HasSubstr("no value but the present"));
}

TEST(UserKnob, ValuesOfAnyRangeAreBoundedAndHoldItsEnds) {
  const std::int64_t ends[] = {
      std::numeric_limits<std::int64_t>::min(), -5000, -1, 0, 1, 7, 999, 1 << 20,
      std::numeric_limits<std::int64_t>::max()};
  for (const auto least : ends) {
    for (const auto most : ends) {
      const Words values = values_between(least, most, 3);
      if (most < least) {
        EXPECT_TRUE(values.empty());
        continue;
      }
      EXPECT_LE(values.size(), kMostKnobValues);
      EXPECT_EQ(values.front(), std::to_string(least));
      EXPECT_EQ(values.back(), std::to_string(most));
      EXPECT_EQ(std::set<std::string>(values.begin(), values.end()).size(), values.size());
    }
  }
  EXPECT_THAT(values_between(0, 3, 1), ElementsAre("0", "1", "2", "3"));
}

}  // namespace
}  // namespace flatout::apply
