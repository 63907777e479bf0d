#include "trace/nsys/string_ids.h"

#include <array>

namespace flatout::trace {

std::string StringIds::read(SqliteFile& file) {
  constexpr std::size_t kOverhead = 64;  // of an entry
  constexpr std::array<std::string_view, 2> kColumns = {"id", "value"};
  auto rows = file.rows("StringIds", kColumns);
  if (!rows) return rows.error().message;
  std::size_t bytes = 0;
  while (rows->next()) {
    const auto id = rows->integer(0);
    const auto text = rows->text(1);
    if (!id || !text) continue;
    bytes += text->size() + kOverhead;
    if (bytes > kMostBytes) return "holds more than 256 MiB of names";
    texts_.try_emplace(*id, *text);
  }
  return rows->problem();
}

std::string_view StringIds::name(const TableRows& row, std::size_t at) const {
  if (const auto text = row.text(at)) return *text;
  const auto id = row.integer(at);
  if (!id) return {};
  const auto known = texts_.find(*id);
  return known == texts_.end() ? std::string_view() : std::string_view(known->second);
}

}  // namespace flatout::trace
