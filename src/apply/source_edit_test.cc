#include "apply/source_edit.h"

#include <gtest/gtest.h>

namespace flatout::apply {
namespace {

SourceEdit six_workers(std::string_view source, int line = 1) {
  return with_argument(source, {.line = line, .call = "DataLoader"},
                       {.keyword = "num_workers", .position = 5, .value = "6"});
}

TEST(SourceEdit, SetsTheArgumentAndNothingElse) {
  struct Row {
    const char *before, *after;
  };
  const Row rows[] = {
      {"l = DataLoader(d, num_workers=0)\n", "l = DataLoader(d, num_workers=6)\n"},
      {"l = DataLoader(d, num_workers = args.workers or 2, shuffle=True)",
       "l = DataLoader(d, num_workers = 6, shuffle=True)"},
      {"l = DataLoader(d, batch_size=4)  # (one)\n",
       "l = DataLoader(d, batch_size=4, num_workers=6)  # (one)\n"},
      {"l = torch.utils.data.DataLoader (d)\n",
       "l = torch.utils.data.DataLoader (d, num_workers=6)\n"},
      {"l = DataLoader(d,)\n", "l = DataLoader(d, num_workers=6,)\n"},
      {"l = DataLoader()\n", "l = DataLoader(num_workers=6)\n"},
      {"l = DataLoader(\n    d,  # a, b)\n    batch_size=4,  # four\n)\nx = 1\n",
       "l = DataLoader(\n    d,  # a, b)\n    batch_size=4,  # four\n    num_workers=6,\n)\nx = "
       "1\n"},
      {"l = DataLoader(d,\n               batch_size=4)\n",
       "l = DataLoader(d,\n               batch_size=4, num_workers=6)\n"},
      {"l = DataLoader(\r\n    d,\r\n)\r\n",
       "l = DataLoader(\r\n    d,\r\n    num_workers=6,\r\n)\r\n"},
      {"l = DataLoader(open('a)\\'b,'), \"\"\"c\n)\"\"\", [1, (2, 3)], {4: 5})\n",
       "l = DataLoader(open('a)\\'b,'), \"\"\"c\n)\"\"\", [1, (2, 3)], {4: 5}, num_workers=6)\n"},
      {"l = DataLoader(d, worker_init_fn=f(num_workers=1))\n",
       "l = DataLoader(d, worker_init_fn=f(num_workers=1), num_workers=6)\n"},
      {"l = MyDataLoader(DataLoader(d))\n", "l = MyDataLoader(DataLoader(d, num_workers=6))\n"},
      {"l = DataLoader(d == e)  # DataLoader(\n",
       "l = DataLoader(d == e, num_workers=6)  # DataLoader(\n"},
  };
  for (const Row& row : rows) {
    const SourceEdit edit = six_workers(row.before);
    EXPECT_EQ(edit.text, row.after);
    EXPECT_EQ(edit.why_not, "") << row.before;
  }
  EXPECT_EQ(six_workers("x = 1\nl = DataLoader(d)", 2).text,
            "x = 1\nl = DataLoader(d, num_workers=6)");
}

TEST(SourceEdit, WhatIsNotPlainIsLeftAloneWithAReason) {
  const std::pair<const char*, const char*> rows[] = {
      {"loader = make_loader(d)\n", "the line does not call DataLoader"},
      {"loader = 'DataLoader(d)'\n", "the line does not call DataLoader"},
      {"l = MyDataLoader(d)\n", "the line does not call DataLoader"},
      {"a, b = DataLoader(c), DataLoader(d)\n", "the line calls DataLoader more than once"},
      {"l = DataLoader(d, **options)\n", "the call takes arguments from a variable, by * or **"},
      {"l = DataLoader(*parts)\n", "the call takes arguments from a variable, by * or **"},
      {"l = DataLoader(d, 4, True, None, None, 2)\n", "the call gives num_workers by its position"},
      {"l = DataLoader(d,\n", "the end of the call was not found"},
      {"l = DataLoader(d, 'open\n)\n", "the end of the call was not found"},
      {"", "the file has no such line any more"},
  };
  for (const auto& [source, why] : rows) {
    const SourceEdit edit = six_workers(source);
    EXPECT_EQ(edit.text, "") << source;
    EXPECT_EQ(edit.why_not, why) << source;
  }
  EXPECT_EQ(six_workers("l = DataLoader(d)\n", 2).why_not, "the file has no such line any more");
  EXPECT_EQ(six_workers("l = DataLoader(d)\n", 0).why_not, "the file has no such line any more");
}

}  // namespace
}  // namespace flatout::apply
