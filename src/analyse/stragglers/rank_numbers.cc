#include "analyse/stragglers/rank_numbers.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace flatout::analyse {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Where digits begin at `at`.
std::optional<int> number_at(std::string_view text, std::size_t at) {
  int value = 0;
  const auto [stop, problem] = std::from_chars(text.data() + at, text.data() + text.size(), value);
  if (problem != std::errc() || stop == text.data() + at) return std::nullopt;
  return value;
}

std::optional<int> behind_the_word(std::string_view file) {
  constexpr std::string_view kWord = "rank";
  for (std::size_t at = 0; at + kWord.size() < file.size(); ++at) {
    const bool word = std::ranges::equal(file.substr(at, kWord.size()), kWord, {},
                                         [](char c) { return static_cast<char>(c | 0x20); });
    if (!word) continue;
    std::size_t digits = at + kWord.size();
    if (file[digits] == '_' || file[digits] == '-' || file[digits] == '=') ++digits;
    if (digits < file.size() && is_digit(file[digits])) return number_at(file, digits);
  }
  return std::nullopt;
}

// "worker_3.json.gz": before the first dot.
std::optional<int> before_the_dot(std::string_view file) {
  const std::string_view stem = file.substr(0, file.find('.'));
  std::size_t digits = stem.size();
  while (digits > 0 && is_digit(stem[digits - 1])) --digits;
  if (digits == 0 || digits == stem.size() || (stem[digits - 1] != '_' && stem[digits - 1] != '-'))
    return std::nullopt;
  return number_at(stem, digits);
}

bool distinct(const std::vector<std::optional<int>>& numbers) {
  std::set<int> seen;
  return std::ranges::all_of(numbers, [&](const std::optional<int>& number) {
    return number && seen.insert(*number).second;
  });
}

}  // namespace

std::optional<int> rank_in_name(std::string_view file) {
  file = file.substr(file.rfind('/') + 1);
  const auto number = behind_the_word(file);
  return number ? number : before_the_dot(file);
}

run::RanksFrom number_ranks(std::vector<RankTrace>& ranks) {
  std::vector<std::optional<int>> said, named;
  for (const RankTrace& rank : ranks) {
    said.push_back(rank.rank);
    named.push_back(rank_in_name(rank.file));
  }
  const bool by_trace = distinct(said);
  const bool by_name = !by_trace && distinct(named);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    ranks[i].rank = by_trace ? said[i] : by_name ? named[i] : std::optional(static_cast<int>(i));
  }
  std::ranges::stable_sort(ranks, {}, &RankTrace::rank);
  return by_trace  ? run::RanksFrom::kTrace
         : by_name ? run::RanksFrom::kFileName
                   : run::RanksFrom::kOrder;
}

}  // namespace flatout::analyse
