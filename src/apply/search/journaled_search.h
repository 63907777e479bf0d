// Trials of a search with a memory: those that an earlier, interrupted search made are
// answered from its journal, in the order in which they had ended; all others are made.
// What the search asks for depends on its space and on the trials that have ended, so
// that with as many slots it asks for the same ones again. One thread.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "apply/journal.h"
#include "apply/search/searcher.h"

namespace flatout::apply {

// Where the journal is kept, and the trials that it names.
class SearchArchive {
 public:
  virtual ~SearchArchive() = default;
  // The result of an earlier trial. An error: it is gone or damaged, and is made again.
  virtual base::Result<MeasuredTrial> read(const JournalEntry& entry) = 0;
  virtual void append(const JournalEntry& entry) = 0;
};

class JournaledSearch final : public SearchRunner {
 public:
  // Both outlive it. The last comparison is never taken over: a pair of which one half is
  // older compares two moments.
  JournaledSearch(SearchRunner& inner, SearchArchive& archive, const Journal& earlier = {});

  int slots() const override { return inner_.slots(); }
  base::Result<void> start(const SearchTrial& trial) override;
  base::Result<EndedTrial> wait() override;
  bool interrupted() const override { return inner_.interrupted(); }
  std::size_t taken_over() const { return taken_over_; }

 private:
  bool take_over(const SearchTrial& trial);

  SearchRunner& inner_;
  SearchArchive& archive_;
  std::vector<JournalEntry> earlier_;
  std::set<std::size_t> used_;               // places in earlier_
  std::map<std::size_t, EndedTrial> known_;  // by place: to be reported, the first ended first
  std::map<int, JournalEntry> running_;      // by ticket
  std::size_t taken_over_ = 0;
};

// The trial as a line of the journal: its settings as (name, value, kind), its steps.
JournalEntry entry_of(const SearchTrial& trial);

}  // namespace flatout::apply
