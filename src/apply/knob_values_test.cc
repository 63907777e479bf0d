#include "apply/knob_values.h"

#include <gtest/gtest.h>

#include "run/knob_table.h"

namespace flatout::apply {
namespace {

std::string wrong(std::string_view knob, std::string_view literal) {
  const run::KnobFacts* facts = run::knob_facts(knob);
  EXPECT_NE(facts, nullptr) << knob;
  return facts == nullptr ? "?" : wrong_value(facts->values, literal);
}

TEST(KnobValues, AreHeldToWhatIsDeclared) {
  struct Row {
    std::string_view knob, literal, must;  // "" = it is one
  };
  const Row rows[] = {
      {"dataloader.num_workers", "6", ""},
      {"dataloader.num_workers", "0", ""},
      {"dataloader.num_workers", "1024", ""},
      {"dataloader.num_workers", "-1", "a whole number from 0 to 1024"},
      {"dataloader.num_workers", "1025", "a whole number from 0 to 1024"},
      {"dataloader.num_workers", "6.0", "a whole number from 0 to 1024"},
      {"dataloader.num_workers", "\"6\"", "a whole number from 0 to 1024"},
      {"dataloader.num_workers", "true", "a whole number from 0 to 1024"},
      {"dataloader.num_workers", "99999999999999999999", "a whole number from 0 to 1024"},
      {"dataloader.num_workers", "", "a whole number from 0 to 1024"},
      {"dataloader.pin_memory", "false", ""},
      {"dataloader.pin_memory", "1", "true or false"},
      {"precision.bf16", "true", ""},
      {"precision.bf16", "false", "true"},
      {"compile.mode", "\"default\"", ""},
      {"compile.mode", "default", "\"default\" or \"reduce-overhead\""},
      {"compile.mode", "\"defualt\"",
       "\"default\" or \"reduce-overhead\"; did you mean \"default\"?"},
      {"dataloader.cache", "\"all\"", "\"none\", \"encoded\" or \"decoded\""},
      {"dataloader.cache", "\"", "\"none\", \"encoded\" or \"decoded\""},
      {"batch.accumulate", "4", ""},
      {"batch.accumulate", "\"1/4\"", ""},
      {"batch.accumulate", "\"1/65537\"",
       "a whole number from 1 to 65536, or \"1/2\", \"1/3\", ... to join"},
      {"batch.accumulate", "\"1/04\"",
       "a whole number from 1 to 65536, or \"1/2\", \"1/3\", ... to join"},
      {"batch.accumulate", "\"1/\"",
       "a whole number from 1 to 65536, or \"1/2\", \"1/3\", ... to join"},
  };
  for (const Row& row : rows) {
    const std::string said = row.must.empty() ? "" : "its value must be " + std::string(row.must);
    EXPECT_EQ(wrong(row.knob, row.literal), said) << row.knob << " = " << row.literal;
  }
}

TEST(KnobValues, WhatIsWorthATrialIsOne) {
  for (const run::KnobFacts& facts : run::kKnobTable) {
    for (const std::string_view value : facts.grid) {
      EXPECT_EQ(wrong_value(facts.values, value), "") << facts.id << " = " << value;
    }
  }
}

}  // namespace
}  // namespace flatout::apply
