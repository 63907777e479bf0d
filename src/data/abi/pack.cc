// flatout_pack of flatout/data.h.
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "data/abi/guarded.h"
#include "data/abi/loader_handle.h"
#include "data/pack/packer.h"
#include "data/spec/json_object.h"
#include "data/spec/unpack_spec.h"
#include "flatout/data.h"

namespace data = flatout::data;
using data::abi::failed;
using data::spec::JsonObject;
using flatout::base::Result;

namespace {

struct PackSpec {
  data::spec::LoaderSpec from;
  std::string to;
  data::PackOptions options;
};

Result<PackSpec> read_pack_spec(const char* text) {
  const auto parsed = data::spec::Json::parse(text, nullptr, /*allow_exceptions=*/false);
  JsonObject json(parsed, "");
  PackSpec out;
  out.from.images = json.text("images", "");
  out.from.index_cache = json.flag("index_cache", true);
  out.from.shards = json.texts("shards", std::size_t{1} << 20U);
  if (auto done = data::spec::read_unpack(json, !out.from.shards.empty(), out.from.unpack); !done)
    return std::unexpected(done.error());
  out.to = json.text("to", "");
  if (out.to.empty()) json.fail("to", "is missing: the folder that is written");
  data::SampleForm& form = out.options.form;
  form.kind = json.word<data::ShardKind>("kind", {{"jpeg", data::ShardKind::kJpeg},
                                                  {"original", data::ShardKind::kOriginal},
                                                  {"raw", data::ShardKind::kRaw}});
  form.size = static_cast<int>(json.whole("size", 1, 1 << 14, form.size));
  form.quality = static_cast<int>(json.whole("quality", 1, 100, form.quality));
  const auto shard_bytes = static_cast<std::int64_t>(out.options.shard_bytes);
  out.options.shard_bytes =
      static_cast<std::uint64_t>(json.whole("shard_bytes", 1, std::int64_t{1} << 40U, shard_bytes));
  out.options.threads = static_cast<int>(json.whole("threads", 0, data::Engine::kMaxThreads, 0));
  if (out.options.threads == 0) out.options.threads = data::abi::usable_cores();
  out.from.threads = out.options.threads;
  if (auto done = json.done(); !done) return std::unexpected(done.error());
  return out;
}

std::string report_json(const data::PackReport& report) {
  auto named = nlohmann::ordered_json::array();
  for (const data::LeftOut& one : report.named)
    named.push_back({{"index", one.index}, {"why", one.why}});
  return nlohmann::ordered_json{{"samples", report.samples}, {"left_out", report.left_out},
                                {"shards", report.shards},   {"kept_shards", report.kept_shards},
                                {"bytes", report.bytes},     {"named", named}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

int pack_as_told(const char* text, flatout_pack_progress progress, void* context,
                 std::string& report) {
  const auto spec = read_pack_spec(text);
  if (!spec) return failed(spec.error().message);
  const auto opened = data::abi::open_source(spec->from, nullptr);
  if (!opened) return failed(opened.error().message);
  data::OnPackProgress tell;
  if (progress != nullptr) {
    tell = [&](const data::PackProgress& at) {
      return progress(context, at.done, at.total, at.left_out) == 0;
    };
  }
  const auto done = data::pack(*opened->source, opened->classes, spec->to, spec->options, tell);
  if (!done) return failed(done.error().message);
  report = report_json(*done);
  return FLATOUT_OK;
}

}  // namespace

int flatout_pack(const char* spec, flatout_pack_progress progress, void* context,
                 const char** report) {
  thread_local std::string told;
  if (spec == nullptr) return failed("flatout_pack: an argument is NULL");
  return data::abi::guarded([&] {
    const int status = pack_as_told(spec, progress, context, told);
    if (report != nullptr) *report = status == FLATOUT_OK ? told.c_str() : nullptr;
    return status;
  });
}
