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
#include <utility>

#include "base/ascii.h"

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
      out.back().push_back(base::lower(c));
    }
    before = c;
  }
  if (out.back().empty()) out.pop_back();
  return out;
}

enum class Suspicion { kNone, kIfRandom, kSecret };

Suspicion suspicion(string_view name) {
  constexpr std::array<string_view, 22> secret = {
      "secret",      "secrets",     "password",  "passwd",     "pwd",
      "passphrase",  "apikey",      "pass",      "passcode",   "pgpassword",
      "credential",  "credentials", "bearer",    "token",      "authtoken",
      "accesstoken", "accesskey",   "secretkey", "accountkey", "sharedaccesskey",
      "privatekey",  "sshpass"};
  // Services whose key is called after them.
  constexpr std::array<string_view, 22> keyed = {
      "api",     "access",     "secret", "private", "auth",    "account", "license",   "ssh",
      "signing", "encryption", "wandb",  "comet",   "neptune", "openai",  "anthropic", "hf",
      "aws",     "azure",      "mlflow", "clearml", "master",  "client"};
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
  for (const string_view end : {"password", "passwd", "secret", "apikey"}) {
    if (last.ends_with(end)) return Suspicion::kSecret;
  }
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

// Keys that can be recognised by their looks: prefix and least length of what follows, as their
// makers document them.
struct Shape {
  string_view prefix;
  std::size_t rest_min;
};
constexpr auto kShapes = std::to_array<Shape>(
    {{"sk-", 16},       {"sk_live_", 10},    {"sk_test_", 10},  {"rk_live_", 10},
     {"pk_live_", 10},  {"whsec_", 16},      {"hf_", 16},       {"api_org_", 16},
     {"ghp_", 16},      {"gho_", 16},        {"ghs_", 16},      {"ghu_", 16},
     {"ghr_", 16},      {"github_pat_", 16}, {"glpat-", 16},    {"gldt-", 16},
     {"glrt-", 16},     {"glptt-", 16},      {"GR1348941", 16}, {"AKIA", 16},
     {"ASIA", 16},      {"ABIA", 16},        {"ACCA", 16},      {"AIza", 30},
     {"ya29.", 16},     {"GOCSPX-", 16},     {"xoxb-", 10},     {"xoxp-", 10},
     {"xoxa-", 10},     {"xoxr-", 10},       {"xoxs-", 10},     {"xoxe-", 10},
     {"xapp-", 10},     {"nvapi-", 16},      {"pypi-", 30},     {"npm_", 20},
     {"rubygems_", 20}, {"hvs.", 16},        {"hvb.", 16},      {"hvr.", 16},
     {"r8_", 20},       {"dop_v1_", 20},     {"doo_v1_", 20},   {"dor_v1_", 20},
     {"dapi", 32},      {"dckr_pat_", 16},   {"dp.pt.", 16},    {"dp.st.", 16},
     {"eyJ", 20},       {"SG.", 20},         {"key-", 32},      {"shpat_", 20},
     {"shpss_", 20},    {"lin_api_", 20},    {"sntrys_", 20},   {"sntryu_", 20},
     {"gsk_", 20},      {"pplx-", 20},       {"xai-", 20},      {"tgp_v1_", 20},
     {"fw_", 20},       {"esecret_", 16},    {"glsa_", 20},     {"glc_", 20},
     {"PMAK-", 20},     {"NRAK-", 16},       {"pul-", 20},      {"figd_", 20},
     {"secret_", 20},   {"ntn_", 20},        {"tskey-", 16},    {"AGE-SECRET-KEY-1", 16},
     {"wandb_v1_", 16}, {"sbp_", 20},        {"pat.", 20},      {"ATATT3", 20},
     {"ATCTT3", 20},    {"xkeysib-", 20},    {"dt0c01.", 20},   {"p8e-", 20},
     {"ops_eyJ", 20}});

bool is_known_shape(string_view word) {
  return std::ranges::any_of(kShapes, [&](const Shape& shape) {
    return word.starts_with(shape.prefix) && word.size() >= shape.prefix.size() + shape.rest_min &&
           word.find_first_of("0123456789") != string_view::npos;
  });
}

bool all_of_kind(string_view word, int (*kind)(int)) {
  return std::ranges::all_of(word,
                             [&](char c) { return kind(static_cast<unsigned char>(c)) != 0; });
}

// A long word of capitals, small letters and digits that change places all the time, which
// words and names of runs, versions, paths and dates do not. A commit or a checksum (hexadecimal
// digits alone) and a UUID are kept: reports are read for them.
bool looks_like_key(string_view word) {
  constexpr std::size_t kLeast = 30;
  if (word.size() < kLeast || all_of_kind(word, std::isxdigit)) return false;
  int changes = 0;
  int parts = 0;
  char before = 0;
  bool upper = false;
  bool lower = false;
  bool digit = false;
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    const char kind = std::isdigit(byte)   ? 'd'
                      : std::isupper(byte) ? 'U'
                      : std::islower(byte) ? 'l'
                                           : '-';
    upper = upper || kind == 'U';
    lower = lower || kind == 'l';
    digit = digit || kind == 'd';
    parts += kind == '-' ? 1 : 0;
    changes += before != 0 && kind != before ? 1 : 0;
    before = kind;
  }
  const auto size = static_cast<int>(word.size());
  return upper && lower && digit && changes * 2 >= size && parts * 8 <= size;
}

std::string mask_shapes(string_view text) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = at;
    while (end < text.size() && is_name(text[end])) ++end;
    string_view word = text.substr(at, end - at);
    // Behind dashes of an option, too: -pghp_...
    const std::size_t dash = std::min(word.find_first_not_of('-'), word.size());
    if (is_known_shape(word) || is_known_shape(word.substr(dash)) || looks_like_key(word)) {
      out.append(kMasked);
    } else {
      out.append(word);
    }
    at = end;
    if (at < text.size()) out.push_back(text[at++]);
  }
  return out;
}

// scheme://user:password@host, and scheme://token@host where it looks like one.
std::string mask_url(std::string text) {
  for (std::size_t at = text.find("://"); at != std::string::npos; at = text.find("://", at + 3)) {
    const std::size_t host = at + 3;
    const std::size_t end = std::min(text.find_first_of(" \t\n/\"'", host), text.size());
    const std::size_t sign = text.rfind('@', end);
    if (sign == std::string::npos || sign < host) continue;
    const std::size_t colon = text.find(':', host);
    const bool pair = colon < sign;
    const string_view user = string_view(text).substr(host, std::min(colon, sign) - host);
    if (pair) text.replace(colon + 1, sign - colon - 1, kMasked);
    if (user.size() >= 16 && looks_random(user)) text.replace(host, user.size(), kMasked);
  }
  return text;
}

// "Authorization: Bearer x", "Bearer x", "Basic x".
std::string mask_scheme(std::string text) {
  for (const string_view scheme :
       {"Bearer ", "bearer ", "Basic ", "basic ", "Token ", "Digest ", "uthorization: token ",
        "UTHORIZATION: token ", "uthorization: ", "uthorization:"}) {
    const std::size_t at = text.find(scheme);
    if (at == std::string::npos) continue;
    const Range value = value_at(text, at + scheme.size());
    const string_view found = string_view(text).substr(value.begin, value.end - value.begin);
    const bool may_be_word = scheme == "Basic " || scheme == "basic " || scheme == "Token " ||
                             scheme == "Digest " || scheme.starts_with("uthorization:");
    const bool certain = !may_be_word || scheme == "uthorization: token ";
    if (worth_masking(certain ? Suspicion::kSecret : Suspicion::kIfRandom, found)) {
      text.replace(value.begin, value.end - value.begin, kMasked);
    }
  }
  return text;
}

std::string mask_argument(const std::string& text) {
  if (text.contains("-----BEGIN")) return kMasked;
  return mask_url(mask_scheme(mask_shapes(mask_named(text))));
}

bool is_user_option(string_view argument) {
  return argument == "-u" || argument == "--user" || argument == "--proxy-user" || argument == "-U";
}

// "user:password" behind -u: the rest is a secret where no path, port or time is.
std::string mask_pair(const std::string& text) {
  const std::size_t colon = text.find(':');
  const bool pair = colon != std::string::npos && colon > 0 && colon + 1 < text.size() &&
                    text.find('/') == std::string::npos &&
                    !all_of_kind(string_view(text).substr(colon + 1), std::isdigit);
  return pair ? text.substr(0, colon + 1) + kMasked : text;
}

// Programs whose -pX is a password, with what is glued to it.
enum class Attached { kNone, kPassword };

Attached attached_after(string_view argument, Attached before) {
  const string_view name = argument.substr(argument.rfind('/') + 1);
  constexpr std::array<string_view, 6> clients = {"mysql",   "mysqldump", "mysqladmin",
                                                  "mariadb", "sshpass",   "mysqlimport"};
  return among(name, clients) ? Attached::kPassword : before;
}

std::string mask_attached(const std::string& text, Attached attached) {
  const bool glued = attached == Attached::kPassword && text.size() > 2 && text.starts_with("-p") &&
                     !text.starts_with("--");
  return glued ? std::string("-p") + kMasked : text;
}

// The suspicion that an argument such as "--token" casts on the next one.
Suspicion suspicion_of_next(string_view argument) {
  if (!argument.starts_with('-') || !std::ranges::all_of(argument, is_name))
    return Suspicion::kNone;
  return suspicion(argument);
}

// The same inside one argument that is a line for a shell.
std::string mask_words(const std::string& line) {
  std::string out;
  bool user_next = false;
  Attached attached = Attached::kNone;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find_first_of(kSpaces, at), line.size());
    std::string word = line.substr(at, end - at);
    if (!word.empty()) {
      const bool pair = std::exchange(user_next, is_user_option(word));
      attached = attached_after(word, attached);
      out += mask_attached(pair ? mask_pair(word) : word, attached);
    }
    if (end < line.size()) out.push_back(line[end]);
    at = end + 1;
  }
  return out;
}

}  // namespace

std::vector<std::string> mask_secrets(std::span<const std::string> argv) {
  std::vector<std::string> out;
  Suspicion about_this = Suspicion::kNone;
  bool user_next = false;
  Attached attached = Attached::kNone;
  for (const std::string& argument : argv) {
    const bool flag = argument.starts_with('-');
    const bool masked = !flag && worth_masking(about_this, argument);
    out.push_back(masked ? kMasked : mask_words(mask_argument(argument)));
    if (!masked && user_next) out.back() = mask_pair(out.back());
    if (!masked) out.back() = mask_attached(out.back(), attached);
    about_this = suspicion_of_next(argument);
    user_next = is_user_option(argument);
    attached = attached_after(argument, attached);
  }
  return out;
}

std::vector<std::string> stored_command(std::span<const std::string> argv, bool with_arguments) {
  return mask_secrets(with_arguments ? argv : argv.first(std::min<std::size_t>(argv.size(), 1)));
}

std::string mask_secrets_in(const std::string& text) { return mask_words(mask_argument(text)); }

}  // namespace flatout::launch
