// A home with recorded runs, and its listing from the catalog.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "store/catalog.h"
#include "store/run_list.h"
#include "store/run_writer.h"
#include "store/store_fixture.h"

namespace flatout::store {

class CatalogTest : public testing::Test {
 protected:
  std::string record(std::int64_t started, bool end = true) {
    auto writer = RunWriter::open(home, clock);
    auto info = sample_info(writer->id());
    info.started_wall_ns = started;
    info.host = from.host;
    info.ring_dir = "";
    EXPECT_TRUE(writer->begin(info));
    if (end) {
      EXPECT_TRUE(writer->end({.t_ns = info.started_ns + 7 * base::kSecond, .survivors = {}}));
    }
    return writer->id();
  }
  CatalogListing list() const {
    auto listing = list_catalog(home, from);
    EXPECT_TRUE(listing);
    return listing ? *listing : CatalogListing{};
  }
  std::filesystem::path file() const { return home.root() / "catalog.sqlite"; }
  // The listing must be the same as one made from the runs alone.
  void expect_true_listing() {
    const auto cached = list();
    EXPECT_EQ(cached.problem, "");
    ASSERT_TRUE(drop_catalog(home));
    const auto anew = list();
    EXPECT_EQ(cached.runs, anew.runs);
    EXPECT_EQ(anew.read_anew, anew.runs.size());
  }

  ScratchFolder scratch;
  Home home = Home::at(scratch.path() / "home");
  base::FakeClock clock;
  Viewpoint from = viewpoint_here();
};

}  // namespace flatout::store
