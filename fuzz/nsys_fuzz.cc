// Any bytes as what Nsight Systems exports: read as SQLite, made a Timeline, explained.
#include <cstdint>
#include <string_view>

#include "analyse/analyse.h"
#include "scratch.h"
#include "trace/nsys/read_export.h"
#include "trace/trace_parts.h"
#include "whole_account.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flatout;  // NOLINT(google-build-using-namespace): a program of one file
  static const fuzz::Scratch scratch;
  const auto file = scratch.path() / "report.sqlite";
  fuzz::write_file(file, {reinterpret_cast<const char*>(data), size});
  trace::TraceParts parts;
  if (!trace::read_export(file, parts)) return 0;
  fuzz::check_accounts(analyse::analyse(parts.take("report.sqlite")));
  return 0;
}
