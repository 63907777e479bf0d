#include "cli/top_terminal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "cli/top_keys.h"

namespace flatout::cli {
namespace {

using report::Grid;
using report::TopInk;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(ScreenUpdate, DrawsWhatChangedAlone) {
  Grid before(20, 3, true);
  before.put(0, 0, "steps 31.2 /s");
  before.put(0, 2, "q quit", TopInk::kHeading);
  Grid now = before;
  EXPECT_EQ(screen_update(&before, now, true), "");
  now.put(6, 0, "32.0");
  // Of "31.2" and "32.0" the first character stays, and the dot.
  EXPECT_EQ(screen_update(&before, now, true), "\x1b[1;8H\x1b[0m2\x1b[1;10H0\x1b[0m");
}

TEST(ScreenUpdate, OfAnotherSizeIsWhole) {
  Grid before(20, 3, true);
  Grid now(30, 3, true);
  now.put(0, 1, "x");
  EXPECT_THAT(screen_update(&before, now, true), HasSubstr("\x1b[2J"));
  EXPECT_THAT(screen_update(nullptr, now, true), HasSubstr("\x1b[2;1H"));
}

TEST(ScreenUpdate, WithoutColourHasNone) {
  Grid grid(80, 24, true);
  for (std::size_t ink = 0; ink <= static_cast<std::size_t>(TopInk::kPhase8); ++ink) {
    grid.put(0, ink, "text", static_cast<TopInk>(ink));
  }
  const std::string plain = screen_update(nullptr, grid, false);
  for (const char* colour : {"\x1b[0;3", "\x1b[0;9", "31m"})
    EXPECT_THAT(plain, Not(HasSubstr(colour)));
  EXPECT_THAT(screen_update(nullptr, grid, true), HasSubstr("\x1b[0;36m"));
}

TEST(ScreenUpdate, AWideCharacterIsDrawnOnce) {
  Grid grid(10, 1, true);
  grid.put(0, 0, "界x");
  EXPECT_THAT(screen_update(nullptr, grid, false), HasSubstr("界x"));
}

std::vector<TopAct> acts(const std::vector<TopEvent>& events) {
  std::vector<TopAct> out;
  for (const TopEvent& event : events) out.push_back(event.act);
  return out;
}

TEST(TopKeys, KnowsKeysAndSequences) {
  TopKeys keys;
  EXPECT_THAT(
      acts(keys.take("q?s\x1b[A\x1b[B\x1bOA\x1b[5~\x1b[6~\x1b[H\x1b[4~")),
      ElementsAre(TopAct::kQuit, TopAct::kHelp, TopAct::kSortNext, TopAct::kUp, TopAct::kDown,
                  TopAct::kUp, TopAct::kPageUp, TopAct::kPageDown, TopAct::kHome, TopAct::kEnd));
  EXPECT_THAT(keys.take("xyz\x01\xff\x1b[99~\x1b[>1;2c"), IsEmpty());
}

TEST(TopKeys, KnowsTheMouse) {
  TopKeys keys;
  const auto events = keys.take("\x1b[<0;12;5M\x1b[<0;12;5m\x1b[<64;1;1M\x1b[<65;1;1M\x1b[<2;1;1M");
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0], (TopEvent{TopAct::kClick, 11, 4}));
  EXPECT_EQ(events[1].act, TopAct::kUp);
  EXPECT_EQ(events[2].act, TopAct::kDown);
  EXPECT_THAT(keys.take("\x1b[<0;0;5M\x1b[<0;-1;5M\x1b[<0;99999999999;5M\x1b[<M\x1b[<0;1M"),
              IsEmpty());
}

TEST(TopKeys, ASequenceMayComeInParts) {
  TopKeys keys;
  for (const char part : {'\x1b', '[', '5'}) {
    EXPECT_THAT(keys.take(std::string(1, part)), IsEmpty());
    EXPECT_TRUE(keys.waits());
  }
  EXPECT_THAT(acts(keys.take("~")), ElementsAre(TopAct::kPageUp));
  EXPECT_FALSE(keys.waits());
}

TEST(TopKeys, ALoneEscapeIsAKeyWhenNothingFollows) {
  TopKeys keys;
  EXPECT_THAT(keys.take("\x1b"), IsEmpty());
  EXPECT_THAT(acts(keys.rest()), ElementsAre(TopAct::kQuit));
  EXPECT_THAT(keys.rest(), IsEmpty());
  EXPECT_THAT(keys.take("\x1b[1;"), IsEmpty());
  EXPECT_THAT(keys.rest(), IsEmpty());  // half a sequence is no key
}

TEST(TopKeys, HoldsLittleWhateverComes) {
  TopKeys keys;
  std::mt19937 random(3);
  std::string bytes = "\x1b[";
  for (int i = 0; i < 100000; ++i) bytes += static_cast<char>('0' + random() % 10);
  (void)keys.take(bytes);
  for (int i = 0; i < 10000; ++i) (void)keys.take(std::string(1, static_cast<char>(random())));
  (void)keys.rest();
  EXPECT_FALSE(keys.waits());
}

}  // namespace
}  // namespace flatout::cli
