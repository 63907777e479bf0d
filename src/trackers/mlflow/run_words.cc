#include "trackers/mlflow/run_words.h"

#include <algorithm>

namespace flatout::trackers::mlflow {
namespace {

constexpr std::size_t kMostArtifacts = 100'000;

}  // namespace

std::int64_t ns_of_ms(std::int64_t ms) {
  constexpr std::int64_t kLatest = 9'000'000'000'000;
  return ms > 0 && ms < kLatest ? ms * 1'000'000 : 0;
}

ImportedEnd end_of(std::string_view status) {
  if (status == "3" || status == "FINISHED") return ImportedEnd::kFinished;
  if (status == "4" || status == "FAILED") return ImportedEnd::kFailed;
  if (status == "5" || status == "KILLED") return ImportedEnd::kKilled;
  return ImportedEnd::kNotSaid;
}

void take_tag(const std::string& key, const std::string& value, ImportedHead& head) {
  if (key == "mlflow.runName") {
    if (head.name.empty()) head.name = value;
  } else if (key == "mlflow.note.content") {
    head.notes = value;
  } else if (key == "mlflow.source.name") {
    head.command = value;
  } else if (key == "mlflow.user") {
    head.entity = value;
  } else if (key == "mlflow.parentRunId") {
    head.group = value;
  } else if (!key.starts_with("mlflow.")) {
    head.tags.push_back(value.empty() ? key : key + "=" + value);
  }
}

Json param_value(const std::string& text) {
  auto value = number_of(text) ? json_of(text) : std::nullopt;
  return value ? std::move(*value) : Json(text);
}

bool is_run_name(std::string_view text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_';
  };
  return !text.empty() && text.size() <= 128 && std::ranges::all_of(text, plain);
}

void note_artifacts(const std::string& folder, ImportSink& sink) {
  std::string_view path = folder;
  if (path.starts_with("file://")) path.remove_prefix(7);
  if (path.empty() || path.find("://") != std::string_view::npos) return;
  std::size_t count = 0;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator at(path, error), end;
       !error && at != end && count < kMostArtifacts; at.increment(error)) {
    std::error_code ignored;
    count += !at->is_symlink(ignored) && at->is_regular_file(ignored) ? 1 : 0;
  }
  if (count > 0) sink.note(std::to_string(count) + " artifacts were left out");
}

}  // namespace flatout::trackers::mlflow
