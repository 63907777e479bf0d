#include "trackers/neptune/export_folder.h"

#include <algorithm>
#include <charconv>

namespace flatout::trackers::neptune {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPart = "_part_";
constexpr std::string_view kEnding = ".parquet";
constexpr std::size_t kMostFiles = 10'000;
constexpr int kDeepestFolder = 32;

void take_files(const fs::path& folder, int depth, std::vector<fs::path>& out) {
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (out.size() >= kMostFiles) return;
    std::error_code ignored;
    const fs::file_status status = at->symlink_status(ignored);
    if (fs::is_regular_file(status)) out.push_back(at->path());
    if (fs::is_directory(status) && depth < kDeepestFolder) take_files(at->path(), depth + 1, out);
  }
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

std::unexpected<base::Error> not_there(const fs::path& path) {
  return base::fail(base::ErrorCode::kNotFound, path.string() + " is not there");
}

bool is_plain_extension(const std::string& text) {
  return !text.empty() && text.size() <= 8 && std::ranges::all_of(text, [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  });
}

}  // namespace

std::optional<PartName> part_name(const std::string& file_name) {
  const std::size_t at = file_name.rfind(kPart);
  if (at == std::string::npos || at == 0 || !file_name.ends_with(kEnding)) return std::nullopt;
  PartName out{.run = file_name.substr(0, at), .part = 0};
  const char* first = file_name.data() + at + kPart.size();
  const char* last = file_name.data() + file_name.size() - kEnding.size();
  if (first >= last) return std::nullopt;
  const auto [end, error] = std::from_chars(first, last, out.part);
  if (error != std::errc() || end != last || out.part < 0) return std::nullopt;
  return out;
}

fs::path files_folder(const fs::path& part) {
  fs::path project = fs::absolute(part).lexically_normal().parent_path();
  if (project.filename() == "models" || project.filename() == "model_versions") {
    project = project.parent_path();
  }
  const fs::path data = project.parent_path();
  std::string name = data.filename().string();
  std::vector<fs::path> candidates;
  if (const std::size_t at = name.rfind("data"); at != std::string::npos) {
    candidates.push_back(data.parent_path() / name.replace(at, 4, "files") / project.filename());
  }
  candidates.push_back(data.parent_path() / "files" / project.filename());
  const auto found = std::ranges::find_if(candidates, is_folder);
  return found == candidates.end() ? fs::path() : *found;
}

base::Result<std::vector<fs::path>> named_files(const fs::path& folder, const std::string& named) {
  const fs::path below(named);
  const bool inside = !folder.empty() && !named.empty() && below.is_relative() &&
                      named.find('\0') == std::string::npos &&
                      std::ranges::none_of(below, [](const fs::path& one) { return one == ".."; });
  if (!inside) return base::fail(base::ErrorCode::kNotFound, "it names no file of the export");
  fs::path path = folder;
  fs::file_status status(fs::file_type::directory);
  for (const fs::path& one : below) {
    if (one.empty() || one == ".") continue;
    if (!fs::is_directory(status)) return not_there(folder / below);
    path /= one;
    std::error_code ignored;
    status = fs::symlink_status(path, ignored);
  }
  std::vector<fs::path> out;
  if (fs::is_regular_file(status)) {
    out.push_back(path);
  } else if (fs::is_directory(status) && path != folder) {
    take_files(path, 0, out);
    std::ranges::sort(out);
  }
  if (out.empty()) return not_there(path);
  return out;
}

std::string extension_of(const fs::path& name, std::string_view bytes) {
  std::string said = name.extension().string();
  std::ranges::transform(said, said.begin(), [](unsigned char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : static_cast<char>(c);
  });
  if (said.size() > 1 && is_plain_extension(said.substr(1))) return said.substr(1);
  constexpr std::pair<std::string_view, const char*> kStarts[] = {{"\x89PNG\r\n\x1a\n", "png"},
                                                                  {"\xff\xd8\xff", "jpg"},
                                                                  {"GIF8", "gif"},
                                                                  {"PK\x03\x04", "zip"}};
  for (const auto& [start, extension] : kStarts) {
    if (bytes.starts_with(start)) return extension;
  }
  return bytes.starts_with("RIFF") && bytes.substr(0, 12).ends_with("WEBP") ? "webp" : "bin";
}

}  // namespace flatout::trackers::neptune
