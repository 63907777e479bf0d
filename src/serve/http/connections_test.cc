// Whose connection stays, whose goes. The clock is the test's.
#include "serve/http/connections.h"

#include <event2/buffer.h>
#include <event2/event.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <vector>

namespace flatout::serve {
namespace {

using std::chrono::milliseconds;

TEST(WithinFiles, KeepsFilesForTheRuns) {
  const ConnectionLimits many = within_files({}, 1 << 20, 20);
  EXPECT_EQ(many.all, ConnectionLimits().all);
  EXPECT_EQ(many.strangers, ConnectionLimits().strangers);
  const ConnectionLimits few = within_files({}, 256, 20);
  EXPECT_LT(few.all + 20, 256U);
  EXPECT_GT(few.all, 100U);
  EXPECT_EQ(few.strangers, few.all / 2);
  // Whatever the limit, somebody with the token gets in.
  const ConnectionLimits none = within_files({}, 16, 20);
  EXPECT_GT(none.all, none.strangers);
  EXPECT_GT(none.strangers, 0U);
}

class ConnectionsOfALoop : public testing::Test {
 protected:
  ConnectionsOfALoop() : base_(event_base_new(), event_base_free) {}
  void TearDown() override {
    connections_.clear();
    for (bufferevent* one : made_) {
      if (!gone_.contains(one)) bufferevent_free(one);
    }
    // Which frees them.
    for (int i = 0; i < 2; ++i) event_base_loop(base_.get(), EVLOOP_NONBLOCK);
  }

  // As evhttp does: its callbacks are there as long as the connection is.
  bufferevent* come() {
    bufferevent* made = connections_.make(base_.get(), 1 << 16);
    bufferevent_setcb(made, nullptr, nullptr, on_event, this);
    made_.push_back(made);
    return made;
  }
  static void on_event(bufferevent* connection, short, void* self) {
    static_cast<ConnectionsOfALoop*>(self)->gone_.insert(connection);
    bufferevent_setcb(connection, nullptr, nullptr, nullptr, nullptr);
    bufferevent_free(connection);
  }
  Connections::Clock::time_point later(int ms) {
    return Connections::Clock::now() + milliseconds(ms);
  }

  std::unique_ptr<event_base, void (*)(event_base*)> base_;
  Connections connections_{{.all = 6,
                            .strangers = 3,
                            .silence = milliseconds(100'000),
                            .stranger_silence = milliseconds(50'000),
                            .grace = milliseconds(20'000)}};
  std::vector<bufferevent*> made_;
  std::set<bufferevent*> gone_;
};

TEST_F(ConnectionsOfALoop, TheOldestStrangerMakesRoom) {
  bufferevent* const first = come();
  come();
  EXPECT_TRUE(connections_.has_room());
  come();
  EXPECT_FALSE(connections_.has_room());
  connections_.make_room(later(0));
  EXPECT_TRUE(gone_.empty()) << "each gets a moment";
  connections_.make_room(later(30'000));
  EXPECT_EQ(gone_, std::set{first});
  EXPECT_TRUE(connections_.has_room());
}

TEST_F(ConnectionsOfALoop, StrangersThrowOutNobodyWithTheToken) {
  bufferevent* const known = come();
  connections_.asked(known, true);
  connections_.answered(known);
  for (int i = 0; i < 20; ++i) {
    while (connections_.has_room()) come();
    connections_.make_room(later(30'000));
  }
  EXPECT_EQ(gone_.size(), 20U);
  EXPECT_FALSE(gone_.contains(known));
}

TEST_F(ConnectionsOfALoop, WhoWaitsForAnAnswerStays) {
  std::set<bufferevent*> known;
  for (int i = 0; i < 6; ++i) {
    bufferevent* const one = come();
    connections_.asked(one, true);
    if (i == 4) connections_.answered(one);
    known.insert(one);
    if (i == 4) known.erase(one);
  }
  EXPECT_FALSE(connections_.has_room());
  connections_.make_room(later(30'000));
  EXPECT_EQ(gone_.size(), 1U);
  connections_.make_room(later(30'000));
  EXPECT_EQ(gone_.size(), 1U);
  connections_.sweep(later(1'000'000));
  for (bufferevent* one : known) EXPECT_FALSE(gone_.contains(one));
}

TEST_F(ConnectionsOfALoop, ASilentOneEndsAndAStrangerSooner) {
  bufferevent* const stranger = come();
  bufferevent* const known = come();
  connections_.asked(known, true);
  connections_.answered(known);
  connections_.sweep(later(40'000));
  EXPECT_TRUE(gone_.empty());
  connections_.sweep(later(60'000));
  EXPECT_EQ(gone_, std::set{stranger});
  connections_.sweep(later(110'000));
  EXPECT_EQ(gone_, (std::set{stranger, known}));
}

TEST_F(ConnectionsOfALoop, WhoTakesALargeAnswerSlowlyKeepsIt) {
  bufferevent* const slow = come();
  connections_.asked(slow, true);
  connections_.answered(slow);
  evbuffer* const out = bufferevent_get_output(slow);
  evbuffer_add(out, "abcdefghij", 10);
  connections_.sweep(later(1));
  for (int i = 1; i < 5; ++i) {
    // Bytes that a socket would have taken.
    evbuffer_unfreeze(out, 1);
    evbuffer_drain(out, 1);
    connections_.sweep(later(90'000 * i));
    EXPECT_TRUE(gone_.empty());
  }
  connections_.sweep(later(90'000 * 4 + 110'000));
  EXPECT_EQ(gone_.size(), 1U) << "it takes nothing any more";
}

}  // namespace
}  // namespace flatout::serve
