// The calls of flatout.h over a tracked run: what is wrong with their arguments, and nothing else.
#include <cstring>

#include "capi/keep_errno.h"
#include "capi/track/tracks.h"
#include "flatout/flatout.h"
#include "wire/record.h"

namespace {

using flatout::capi::JsonText;
using flatout::capi::KeepErrno;
using flatout::capi::Kept;
namespace capi = flatout::capi;
namespace wire = flatout::wire;

constexpr std::size_t kMostKeyBytes = wire::kMaxValueNameBytes;
constexpr std::size_t kMostTextBytes = std::size_t{8} << 20;  // readers take files of 16 MiB
constexpr std::size_t kMostTitleBytes = 256, kMostAlertBytes = 16'384, kMostPathBytes = 4096;

int status_of(Kept kept) {
  switch (kept) {
    case Kept::kYes:
      return FLATOUT_OK;
    case Kept::kOff:
      return FLATOUT_OFF;
    case Kept::kLost:
      return FLATOUT_LOST;
    case Kept::kInvalid:
      break;
  }
  return FLATOUT_INVALID;
}

// 0 where it is none.
std::size_t text_bytes(const char* text, std::size_t most) {
  const std::size_t bytes = text == nullptr ? 0 : ::strnlen(text, most + 1);
  return bytes > most ? 0 : bytes;
}

bool is_off(int track) { return !capi::tracking() || track == 0; }

template <typename Add>
int set(int track, const char* fact, const char* key, Add add) {
  const KeepErrno kept;
  if (text_bytes(key, kMostKeyBytes) == 0) return FLATOUT_INVALID;
  JsonText body;
  body.raw(R"("set":{)").quoted(key, kMostKeyBytes).raw(":");
  add(body);
  body.raw("}");
  return status_of(capi::track_fact(track, fact, body, wire::kNoStep));
}

int set_number(int track, const char* fact, const char* key, double value) {
  if (is_off(track)) return FLATOUT_OFF;
  return set(track, fact, key, [&](JsonText& body) { body.number(value); });
}

int set_text(int track, const char* fact, const char* key, const char* text) {
  if (is_off(track)) return FLATOUT_OFF;
  if (text == nullptr || ::strnlen(text, kMostTextBytes + 1) > kMostTextBytes) {
    return FLATOUT_INVALID;
  }
  return set(track, fact, key, [&](JsonText& body) { body.quoted(text, kMostTextBytes); });
}

int set_json(int track, const char* fact, const char* json) {
  if (is_off(track)) return FLATOUT_OFF;
  const KeepErrno kept;
  const std::size_t bytes = text_bytes(json, kMostTextBytes);
  if (bytes == 0 || !capi::is_json_object(json, bytes)) return FLATOUT_INVALID;
  JsonText body;
  body.raw(R"("set":)").raw(json, bytes);
  return status_of(capi::track_fact(track, fact, body, wire::kNoStep));
}

}  // namespace

extern "C" {

int flatout_track_open(const struct flatout_track_options* options) {
  if (!capi::tracking()) return 0;
  const KeepErrno kept;
  const flatout_track_options none{};
  const flatout_track_options& given = options == nullptr ? none : *options;
  return capi::open_track({.project = given.project,
                           .name = given.name,
                           .id = given.id,
                           .group = given.group,
                           .job_type = given.job_type,
                           .notes = given.notes,
                           .tags = given.tags,
                           .resumed = given.resumed != 0});
}

int flatout_track_log(int track, const char* name, double value, int64_t step) {
  if (is_off(track)) return FLATOUT_OFF;
  const KeepErrno kept;
  const std::size_t bytes = text_bytes(name, kMostKeyBytes);
  if (bytes == 0 || step < wire::kNoStep) return FLATOUT_INVALID;
  return status_of(capi::track_number(track, name, bytes, value, step));
}

int flatout_track_log_text(int track, const char* name, const char* text, int64_t step) {
  if (is_off(track)) return FLATOUT_OFF;
  const KeepErrno kept;
  const bool fits = text != nullptr && ::strnlen(text, kMostTextBytes + 1) <= kMostTextBytes;
  if (text_bytes(name, kMostKeyBytes) == 0 || !fits || step < wire::kNoStep) {
    return FLATOUT_INVALID;
  }
  JsonText body;
  body.raw(R"("data":{)").quoted(name, kMostKeyBytes).raw(":").quoted(text, kMostTextBytes);
  body.raw("}");
  return status_of(capi::track_fact(track, "track_row", body, step));
}

int flatout_track_config_number(int track, const char* key, double value) {
  return set_number(track, "track_config", key, value);
}
int flatout_track_config_text(int track, const char* key, const char* text) {
  return set_text(track, "track_config", key, text);
}
int flatout_track_config_json(int track, const char* json) {
  return set_json(track, "track_config", json);
}
int flatout_track_summary_number(int track, const char* key, double value) {
  return set_number(track, "track_summary", key, value);
}
int flatout_track_summary_text(int track, const char* key, const char* text) {
  return set_text(track, "track_summary", key, text);
}
int flatout_track_summary_json(int track, const char* json) {
  return set_json(track, "track_summary", json);
}

int flatout_track_file(int track, const char* path, const char* shown) {
  if (is_off(track)) return FLATOUT_OFF;
  const KeepErrno kept;
  if (text_bytes(path, kMostPathBytes) == 0) return FLATOUT_INVALID;
  return status_of(
      capi::track_file(track, path, shown == nullptr ? path : shown, nullptr, nullptr));
}

int flatout_track_artifact(int track, const char* path, const char* name, const char* type) {
  if (is_off(track)) return FLATOUT_OFF;
  const KeepErrno kept;
  if (text_bytes(path, kMostPathBytes) == 0 || text_bytes(name, kMostKeyBytes) == 0) {
    return FLATOUT_INVALID;
  }
  const char* slash = std::strrchr(path, '/');
  return status_of(capi::track_file(track, path, slash == nullptr ? path : slash + 1, name,
                                    type == nullptr ? "file" : type));
}

int flatout_track_alert(int track, const char* title, const char* text, int level) {
  if (is_off(track)) return FLATOUT_OFF;
  const KeepErrno kept;
  const bool known = level >= FLATOUT_ALERT_INFO && level <= FLATOUT_ALERT_ERROR;
  if (title == nullptr || *title == '\0' || !known) return FLATOUT_INVALID;
  constexpr const char* kLevels[] = {"INFO", "WARN", "ERROR"};
  JsonText body;
  body.raw(R"("title":)").quoted(title, kMostTitleBytes);
  body.raw(R"(,"text":)").quoted(text, kMostAlertBytes);
  body.raw(R"(,"level":)").quoted(kLevels[level], 8);
  return status_of(capi::track_fact(track, "track_alert", body, wire::kNoStep));
}

int flatout_track_finish(int track, int exit_code) {
  if (is_off(track)) return FLATOUT_OFF;
  const KeepErrno kept;
  return status_of(capi::finish_track(track, exit_code));
}

}  // extern "C"
