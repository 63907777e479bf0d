// flatout_pack of flatout/data.h.
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "data/abi/guarded.h"
#include "data/open/pack_set.h"
#include "data/pack/packer.h"
#include "data/spec/pack_spec.h"
#include "flatout/data.h"

namespace data = flatout::data;
using data::abi::failed;

namespace {

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
  auto spec = data::spec::read_pack_spec(text);
  if (!spec) return failed(spec.error().message);
  data::OnPackProgress tell;
  if (progress != nullptr) {
    tell = [&](const data::PackProgress& at) {
      return progress(context, at.done, at.total, at.left_out) == 0;
    };
  }
  const auto done = data::pack_set(std::move(*spec), tell);
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
