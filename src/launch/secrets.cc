// Three passes over each argument, none of which needs to understand the program:
// names that say "secret" followed by a value, shapes of known keys, and the flag
// whose value is the next argument. Names are compared word by word, so that
// --api-key and HF_TOKEN are secrets but --tokenizer and --max-tokens are not.
#include "launch/secrets.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>
#include <string_view>

namespace flatout::launch {
namespace {

using std::string_view;

constexpr string_view kSpaces = " \t\r\n";

bool is_alnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool is_name(char c) { return is_alnum(c) || c == '_' || c == '-' || c == '.'; }

template <std::size_t N>
bool among(string_view word, const std::array<string_view, N>& words) {
  return std::ranges::find(words, word) != words.end();
}

// "+wandb.apiKey" -> {"wandb", "api", "key"}.
std::vector<std::string> words_of(string_view name) {
  std::vector<std::string> out(1);
  char before = '_';
  for (const char c : name) {
    const bool upper = std::isupper(static_cast<unsigned char>(c)) != 0;
    const bool camel = upper && std::islower(static_cast<unsigned char>(before)) != 0;
    if ((!is_alnum(c) || camel) && !out.back().empty()) out.emplace_back();
    if (is_alnum(c)) {
      out.back().push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    }
    before = c;
  }
  if (out.back().empty()) out.pop_back();
  return out;
}

enum class Suspicion { kNone, kIfRandom, kSecret };

Suspicion suspicion(string_view name) {
  constexpr std::array<string_view, 13> secret = {
      "secret", "secrets",    "password",    "passwd", "pwd",   "passphrase", "apikey",
      "pass",   "credential", "credentials", "bearer", "token", "authtoken"};
  constexpr std::array<string_view, 10> keyed = {"api",     "access",    "secret",  "private",
                                                 "auth",    "account",   "license", "ssh",
                                                 "signing", "encryption"};
  // Tokens of a text model, not of a service.
  constexpr std::array<string_view, 16> of_text = {
      "pad", "eos",  "bos",   "unk",   "mask", "sep", "cls",    "special",
      "end", "stop", "image", "start", "next", "per", "prompt", "target"};
  constexpr std::array<string_view, 6> weak = {"key",       "auth", "cookie",
                                               "signature", "sig",  "authorization"};
  const auto words = words_of(name);
  if (words.empty()) return Suspicion::kNone;
  const string_view last = words.back();
  const string_view previous =
      words.size() > 1 ? string_view(words[words.size() - 2]) : string_view();
  if (last == "token" && among(previous, of_text)) return Suspicion::kNone;
  if (among(last, secret)) return Suspicion::kSecret;
  if (last == "key" && among(previous, keyed)) return Suspicion::kSecret;
  if (last == "id" && previous == "key") return Suspicion::kIfRandom;
  return among(last, weak) ? Suspicion::kIfRandom : Suspicion::kNone;
}

// Long, of letters and digits both, with at least 3 bits a character: a random
// string of 16 hexadecimal digits has about 3.3, words and numbers have fewer.
bool looks_random(string_view value) {
  if (value.size() < 16) return false;
  std::array<int, 256> counts{};
  bool digit = false;
  bool letter = false;
  for (const char c : value) {
    ++counts[static_cast<unsigned char>(c)];
    digit = digit || std::isdigit(static_cast<unsigned char>(c)) != 0;
    letter = letter || std::isalpha(static_cast<unsigned char>(c)) != 0;
  }
  double bits = 0;
  for (const int count : counts) {
    if (count == 0) continue;
    const double p = static_cast<double>(count) / static_cast<double>(value.size());
    bits -= p * std::log2(p);
  }
  return digit && letter && bits >= 3.0;
}

bool worth_masking(Suspicion how, string_view value) {
  if (value.empty() || value == kMasked || value.starts_with('$')) return false;  // $NAME: no value
  return how == Suspicion::kSecret || (how == Suspicion::kIfRandom && looks_random(value));
}

struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// The value that starts at `at`: quoted, or up to what ends a field of a URL, of
// JSON or of a shell line. A backslash takes the next character along.
Range value_at(string_view text, std::size_t at) {
  const char quote = at < text.size() && (text[at] == '"' || text[at] == '\'') ? text[at] : '\0';
  if (quote != '\0') ++at;
  std::size_t end = at;
  while (end < text.size()) {
    const char c = text[end];
    if (quote != '\0' ? c == quote : (kSpaces.contains(c) || string_view(",;&\"'}|)").contains(c)))
      break;
    end += c == '\\' && end + 1 < text.size() ? 2 : 1;
  }
  return {at, end};
}

// The end of "name" plus its separator, when the name at `begin` is followed by
// one: = or :, between optional quote and blanks.
std::optional<std::size_t> after_separator(string_view text, std::size_t name_end) {
  std::size_t at = name_end;
  if (at < text.size() && (text[at] == '"' || text[at] == '\'')) ++at;
  while (at < text.size() && text[at] == ' ') ++at;
  if (at >= text.size() || (text[at] != '=' && text[at] != ':')) return std::nullopt;
  ++at;
  while (at < text.size() && text[at] == ' ') ++at;
  return at;
}

// name=value, "name": value and `--name value`, wherever they stand in `text`.
std::string mask_named(string_view text) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = at;
    while (end < text.size() && is_name(text[end])) ++end;
    if (end == at) {
      out.push_back(text[at++]);
      continue;
    }
    const string_view name = text.substr(at, end - at);
    const Suspicion how = suspicion(name);
    auto start = after_separator(text, end);
    // A flag inside a shell line has its value after a blank.
    if (!start && name.starts_with('-') && end < text.size() && text[end] == ' ') start = end + 1;
    const bool assigned_flag = at == 0 && start && *start == end + 1 && text[end] == '=' &&
                               !kSpaces.contains(text.back()) &&
                               text.find_first_of(" \t\n\"'&") == string_view::npos;
    Range value = start ? value_at(text, *start) : Range{};
    if (assigned_flag) value = {*start, text.size()};  // --token=a,b is all value
    const bool next_flag = start && text[*start - 1] == ' ' && name.starts_with('-') &&
                           text.substr(value.begin).starts_with('-');
    if (how != Suspicion::kNone && start && !next_flag &&
        worth_masking(how, text.substr(value.begin, value.end - value.begin))) {
      out.append(text.substr(at, value.begin - at)).append(kMasked);
      at = value.end;
    } else {
      out.append(name);
      at = end;
    }
  }
  return out;
}

// Keys that can be told by their looks: prefix and least length of what follows.
struct Shape {
  string_view prefix;
  std::size_t rest_min;
};
constexpr std::array<Shape, 18> kShapes = {{{"sk-", 16},
                                            {"hf_", 16},
                                            {"ghp_", 16},
                                            {"gho_", 16},
                                            {"ghs_", 16},
                                            {"ghu_", 16},
                                            {"github_pat_", 16},
                                            {"glpat-", 16},
                                            {"AKIA", 16},
                                            {"ASIA", 16},
                                            {"AIza", 30},
                                            {"xoxb-", 10},
                                            {"xoxp-", 10},
                                            {"xapp-", 10},
                                            {"nvapi-", 16},
                                            {"pypi-", 30},
                                            {"eyJ", 40},
                                            {"dckr_pat_", 16}}};

std::string mask_shapes(string_view text) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = at;
    while (end < text.size() && is_name(text[end])) ++end;
    string_view word = text.substr(at, end - at);
    const bool key = std::ranges::any_of(kShapes, [&](const Shape& shape) {
      return word.starts_with(shape.prefix) &&
             word.size() >= shape.prefix.size() + shape.rest_min &&
             word.find_first_of("0123456789") != string_view::npos;
    });
    if (key) {
      out.append(kMasked);
    } else {
      out.append(word);
    }
    at = end;
    if (at < text.size()) out.push_back(text[at++]);
  }
  return out;
}

// scheme://user:password@host
std::string mask_url(std::string text) {
  for (std::size_t at = text.find("://"); at != std::string::npos; at = text.find("://", at + 3)) {
    const std::size_t host = at + 3;
    const std::size_t end = std::min(text.find_first_of(" \t\n/\"'", host), text.size());
    const std::size_t sign = text.rfind('@', end);
    const std::size_t colon = text.find(':', host);
    if (sign == std::string::npos || sign < host || colon > sign) continue;
    text.replace(colon + 1, sign - colon - 1, kMasked);
  }
  return text;
}

// "Authorization: Bearer x", "Bearer x", "Basic x".
std::string mask_scheme(std::string text) {
  for (const string_view scheme : {"Bearer ", "bearer ", "Basic "}) {
    const std::size_t at = text.find(scheme);
    if (at == std::string::npos) continue;
    const Range value = value_at(text, at + scheme.size());
    const string_view found = string_view(text).substr(value.begin, value.end - value.begin);
    if (worth_masking(scheme == "Basic " ? Suspicion::kIfRandom : Suspicion::kSecret, found)) {
      text.replace(value.begin, value.end - value.begin, kMasked);
    }
  }
  return text;
}

std::string mask_argument(const std::string& text) {
  if (text.contains("-----BEGIN")) return kMasked;
  return mask_url(mask_scheme(mask_shapes(mask_named(text))));
}

// The suspicion that an argument such as "--token" casts on the next one.
Suspicion suspicion_of_next(string_view argument) {
  if (!argument.starts_with('-') || !std::ranges::all_of(argument, is_name))
    return Suspicion::kNone;
  return suspicion(argument);
}

}  // namespace

std::vector<std::string> mask_secrets(std::span<const std::string> argv) {
  std::vector<std::string> out;
  Suspicion about_this = Suspicion::kNone;
  for (const std::string& argument : argv) {
    const bool flag = argument.starts_with('-');
    const bool masked = !flag && worth_masking(about_this, argument);
    out.push_back(masked ? kMasked : mask_argument(argument));
    about_this = suspicion_of_next(argument);
  }
  return out;
}

}  // namespace flatout::launch
