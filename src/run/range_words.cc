#include "run/range_words.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "base/ascii.h"

namespace flatout::run {
namespace {

bool is_small(char c) { return c >= 'a' && c <= 'z'; }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

// In small letters.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  bool within = false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool letter = is_small(c) || is_capital(c);
    const bool before_small = i + 1 < name.size() && is_small(name[i + 1]);
    const bool begins = !within || (is_capital(c) && (is_small(name[i - 1]) || before_small));
    if (letter && begins) words.emplace_back();
    if (letter) words.back() += base::lower(c);
    within = letter;
  }
  return words;
}

template <std::size_t kCount>
bool is_one_of(std::string_view word, const std::array<std::string_view, kCount>& words) {
  return std::ranges::find(words, word) != words.end();
}

bool is_word_of_step(std::string_view word) {
  if (word.starts_with("train")) {
    return word.ends_with("step") || word.ends_with("iter") || word.ends_with("iteration") ||
           word.ends_with("batch");
  }
  return is_one_of(
      word, std::to_array<std::string_view>({"step", "steps", "iter", "iters", "iteration",
                                             "iterations", "batch", "batches", "minibatch"}));
}

bool is_word_of_part(std::string_view word) {
  return is_one_of(word,
                   std::to_array<std::string_view>({"micro", "sub", "inner", "time", "norm"}));
}

bool is_word_of_no_step(std::string_view word) {
  return word == "val" || word.contains("epoch") || word.starts_with("eval") ||
         word.starts_with("valid") || word.starts_with("test");
}

}  // namespace

RangeName range_name(std::string_view name) {
  const std::vector<std::string> words = words_of(name);
  if (std::ranges::any_of(words, is_word_of_no_step)) return RangeName::kNone;
  const bool step =
      std::ranges::any_of(words, is_word_of_step) && std::ranges::none_of(words, is_word_of_part);
  return step ? RangeName::kStep : RangeName::kOther;
}

}  // namespace flatout::run
