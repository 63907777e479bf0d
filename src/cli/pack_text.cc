#include "cli/pack_text.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "report/quantity.h"

namespace flatout::cli {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using base::Result;

constexpr int kBarWidth = 24;

bool is_tar(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".tar") || name.ends_with(".tgz") || name.ends_with(".tar.gz") ||
         name.ends_with(".tar.zst");
}

// The tar files of a folder that has no folder in it, sorted; else none.
std::vector<std::string> tars_in(const fs::path& folder) {
  std::vector<std::string> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_directory(error)) return {};
    if (is_tar(entry.path())) out.push_back(entry.path().string());
  }
  std::ranges::sort(out);
  return out;
}

std::string clock_text(std::int64_t seconds) {
  char text[32];
  if (seconds < 3600) {
    std::snprintf(text, sizeof text, "%lld:%02lld", static_cast<long long>(seconds / 60),
                  static_cast<long long>(seconds % 60));
  } else {
    std::snprintf(text, sizeof text, "%lld:%02lld h", static_cast<long long>(seconds / 3600),
                  static_cast<long long>(seconds / 60 % 60));
  }
  return text;
}

std::string counted(std::int64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

std::string pack_bar(std::int64_t done, std::int64_t total, std::int64_t left_out,
                     base::DurationNs since_begin) {
  const double share = total == 0 ? 1 : static_cast<double>(done) / static_cast<double>(total);
  const int filled = static_cast<int>(share * kBarWidth);
  std::string out = "[" + std::string(static_cast<std::size_t>(filled), '#') +
                    std::string(static_cast<std::size_t>(kBarWidth - filled), ' ') + "] " +
                    std::to_string(done) + " of " + std::to_string(total);
  if (done > 0 && since_begin > 0) {
    const double per_s =
        static_cast<double>(done) * base::kSecond / static_cast<double>(since_begin);
    out += ", " + std::to_string(static_cast<std::int64_t>(per_s)) + "/s";
    if (done < total)
      out += ", " +
             clock_text(static_cast<std::int64_t>(static_cast<double>(total - done) / per_s)) +
             " left";
  }
  if (left_out > 0) out += ", " + std::to_string(left_out) + " bad";
  return out.substr(0, 79);
}

std::string pack_text(const PackDone& done, const std::string& folder) {
  std::string out = folder + ": " + counted(done.samples, "sample") + " in " +
                    counted(done.shards, "shard") + ", " +
                    report::format_bytes(static_cast<double>(done.bytes));
  if (done.kept_shards > 0)
    out += "; " + counted(done.kept_shards, "shard") + " of an earlier run kept";
  if (done.left_out > 0) out += "; " + counted(done.left_out, "bad sample") + " left out";
  return out + "\n";
}

Result<std::string> pack_spec(const PackVerbOptions& options) {
  nlohmann::ordered_json spec{{"to", options.to},
                              {"kind", options.kind},
                              {"size", options.size},
                              {"quality", options.quality},
                              {"shard_bytes", std::int64_t{options.shard_mb} << 20},
                              {"threads", options.threads}};
  std::vector<std::string> tars;
  for (const std::string& one : options.from) {
    std::error_code error;
    const bool folder = fs::is_directory(one, error);
    const std::vector<std::string> inside = folder ? tars_in(one) : std::vector<std::string>{one};
    if (folder && inside.empty()) {
      if (options.from.size() > 1)
        return base::fail(ErrorCode::kInvalid,
                          one + ": of folders without tar files one alone can be packed");
      spec["images"] = one;
      return spec.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    }
    tars.insert(tars.end(), inside.begin(), inside.end());
  }
  spec["shards"] = tars;
  if (!options.unpack.empty())
    spec["unpack"] = {{"folder", options.unpack}, {"disk_mb", options.unpack_mb}};
  return spec.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string pack_json(const std::string& report) {
  nlohmann::ordered_json out = {{"schema", "flatout.pack/1"}};
  out.update(nlohmann::ordered_json::parse(report));
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Result<PackDone> read_pack_report(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  PackDone out;
  for (const auto& [key, to] :
       {std::pair{"samples", &out.samples}, std::pair{"left_out", &out.left_out},
        std::pair{"shards", &out.shards}, std::pair{"kept_shards", &out.kept_shards},
        std::pair{"bytes", &out.bytes}}) {
    if (!json.is_object() || !json.contains(key) || !json[key].is_number_integer())
      return base::fail(ErrorCode::kInvalid,
                        "libflatout_data.so is of another version of flatout: its report of "
                        "packing lacks " +
                            std::string(key) + "; install both of one version");
    *to = json[key].get<std::int64_t>();
  }
  for (const auto& one : json.value("named", nlohmann::json::array()))
    out.why.push_back(one.value("why", ""));
  return out;
}

}  // namespace flatout::cli
