#include "cli/top_keys.h"

#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace flatout::cli {
namespace {

constexpr std::size_t kLongestSequence = 32;

std::optional<TopAct> act_of(char key) {
  constexpr std::array<std::pair<char, TopAct>, 16> kPlainKeys = {{{'q', TopAct::kQuit},
                                                                   {'\x03', TopAct::kQuit},
                                                                   {'h', TopAct::kHelp},
                                                                   {'?', TopAct::kHelp},
                                                                   {'p', TopAct::kPause},
                                                                   {' ', TopAct::kPause},
                                                                   {'s', TopAct::kSortNext},
                                                                   {'c', TopAct::kSortCpu},
                                                                   {'m', TopAct::kSortMemory},
                                                                   {'r', TopAct::kSortRead},
                                                                   {'g', TopAct::kSortDevice},
                                                                   {'i', TopAct::kSortPid},
                                                                   {'k', TopAct::kUp},
                                                                   {'j', TopAct::kDown},
                                                                   {'H', TopAct::kHome},
                                                                   {'G', TopAct::kEnd}}};
  for (const auto& [known, act] : kPlainKeys) {
    if (known == key) return act;
  }
  return std::nullopt;
}

// Of a sequence without its introducer: "A", "5~", "OA".
std::optional<TopAct> act_of_sequence(std::string_view body) {
  constexpr std::array<std::pair<std::string_view, TopAct>, 10> kSequences = {
      {{"A", TopAct::kUp},
       {"B", TopAct::kDown},
       {"H", TopAct::kHome},
       {"F", TopAct::kEnd},
       {"1~", TopAct::kHome},
       {"4~", TopAct::kEnd},
       {"7~", TopAct::kHome},
       {"8~", TopAct::kEnd},
       {"5~", TopAct::kPageUp},
       {"6~", TopAct::kPageDown}}};
  for (const auto& [known, act] : kSequences) {
    if (known == body) return act;
  }
  return std::nullopt;
}

// "<0;12;5M" of the mouse (SGR, 1006).
std::optional<TopEvent> mouse_of(std::string_view body) {
  if (!body.starts_with('<') || body.empty()) return std::nullopt;
  std::array<int, 3> numbers{};
  const char* at = body.data() + 1;
  const char* end = body.data() + body.size();
  for (int& number : numbers) {
    const auto [next, wrong] = std::from_chars(at, end, number);
    if (wrong != std::errc() || next == end || number < 0) return std::nullopt;
    at = next + 1;
  }
  if (body.back() != 'M') return std::nullopt;  // a release
  if (numbers[0] == 64) return TopEvent{TopAct::kUp};
  if (numbers[0] == 65) return TopEvent{TopAct::kDown};
  if (numbers[0] != 0 || numbers[1] < 1 || numbers[2] < 1) return std::nullopt;
  return TopEvent{TopAct::kClick, static_cast<std::size_t>(numbers[1] - 1),
                  static_cast<std::size_t>(numbers[2] - 1)};
}

// Bytes of the sequence that `text` begins with, Escape included; 0 = it is not whole yet.
std::size_t length_of(std::string_view text) {
  if (text.size() < 2) return 0;
  if (text[1] == 'O') return text.size() < 3 ? 0 : 3;
  if (text[1] != '[') return 1;  // Escape, and another key
  for (std::size_t i = 2; i < text.size(); ++i) {
    if (text[i] >= '@' && text[i] <= '~') return i + 1;
    if (text[i] < ' ') return i;  // not of a sequence: it is cut short
  }
  return text.size() >= kLongestSequence ? text.size() : 0;
}

}  // namespace

std::vector<TopEvent> TopKeys::take(std::string_view bytes) {
  std::vector<TopEvent> out;
  std::string text = std::exchange(held_, {});
  text += bytes;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = std::string_view(text).substr(at);
    if (rest.front() != '\x1b') {
      if (const auto act = act_of(rest.front())) out.push_back({*act});
      ++at;
      continue;
    }
    const std::size_t length = length_of(rest);
    if (length == 0) {
      held_ = rest;
      break;
    }
    at += length;
    if (length == 1) {
      out.push_back({TopAct::kQuit});
      continue;
    }
    const std::string_view body = rest.substr(2, length - 2);
    if (const auto event = mouse_of(body)) {
      out.push_back(*event);
    } else if (const auto act = act_of_sequence(body)) {
      out.push_back({*act});
    }
  }
  return out;
}

std::vector<TopEvent> TopKeys::rest() {
  const std::string held = std::exchange(held_, {});
  if (held == "\x1b") return {{TopAct::kQuit}};
  return {};
}

}  // namespace flatout::cli
