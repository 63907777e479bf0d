// Any bytes as the journal of a tune, and as its report: what is read must be written, and read
// again, the same. An odd first byte puts the rest behind a head, where the lines of trials are.
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "apply/accuracy.h"
#include "apply/journal.h"

namespace {

void read_journal(const std::string& text) {
  using namespace flatout;
  const auto journal = apply::parse_journal(text, "journal");
  if (!journal) return;
  std::string again = apply::journal_line(journal->head);
  for (const auto& entry : journal->trials) again += apply::journal_line(entry);
  if (journal->finished) again += apply::journal_end();
  const auto second = apply::parse_journal(again, "again");
  if (!second || second->head != journal->head || second->trials != journal->trials ||
      second->finished != journal->finished) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (size == 0 || data[0] % 2 == 0) {
    read_journal(text);
    if (const auto tune = flatout::apply::parse_tune(text, "tune")) {
      (void)flatout::apply::accuracy_of(std::span(&*tune, 1));
    }
    return 0;
  }
  flatout::apply::JournalHead head;
  head.command = {"python"};
  read_journal(flatout::apply::journal_line(head) + text.substr(1) + "\n");
  return 0;
}
