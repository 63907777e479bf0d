// Files of other trackers: the bytes as they are, and as records within frames that fit; and what
// the reader of Neptune's Parquet answers, which a file may make it say.
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "scratch.h"
#include "trackers/find_runs.h"
#include "trackers/neptune/read_run.h"
#include "trackers/tensorboard/event.h"
#include "trackers/tensorboard/record_file.h"

namespace {

using namespace flatout::trackers;
using flatout::base::Result;

struct NoSink final : ImportSink {
  int begun = 0;
  int ended = 0;
  Result<void> begin(const ImportedHead&) override {
    ++begun;
    return {};
  }
  Result<void> values(std::span<const ImportedValue>) override { return {}; }
  Result<void> fact(std::string_view, std::string, std::int64_t) override { return {}; }
  Result<std::string> file(std::string_view, std::string_view) override { return "x"; }
  Result<void> end(ImportedEnd, std::optional<int>, std::int64_t) override {
    ++ended;
    return {};
  }
  void note(std::string) override {}
};

template <typename Value>
std::string raw_bytes(Value value) {
  std::string out;
  for (std::size_t i = 0; i < sizeof value; ++i) {
    out += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i));
  }
  return out;
}

std::string tensorboard_file(std::string_view record) {
  const std::string length = raw_bytes<std::uint64_t>(record.size());
  return length + raw_bytes(tensorboard::masked_crc(length)) + std::string(record) +
         raw_bytes(tensorboard::masked_crc(record));
}

std::string wandb_file(std::string_view record) {
  const std::string head(":W&B\xe1\xbe\0", 7);
  const std::string whole = '\1' + std::string(record.substr(0, 30'000));
  const auto crc = static_cast<std::uint32_t>(
      ::crc32(0, reinterpret_cast<const Bytef*>(whole.data()), static_cast<uInt>(whole.size())));
  return head + raw_bytes(crc) + raw_bytes(static_cast<std::uint16_t>(whole.size() - 1)) + whole;
}

void read_path(const std::filesystem::path& path) {
  const auto found = find_runs(path);
  if (!found) return;
  NoSink sink;
  const bool done = read_found(found->front(), nullptr, sink).has_value();
  if (done != (sink.ended == 1) || sink.begun > 1) std::abort();
}

struct Answer final : ParquetRows {
  explicit Answer(std::string said) : bytes(std::move(said)) {}
  Result<void> ask(const std::vector<std::filesystem::path>&) override { return {}; }
  Result<std::size_t> read(std::span<char> into) override {
    const std::size_t some = std::min({into.size(), bytes.size() - at, std::size_t{97}});
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), some, into.begin());
    at += some;
    return some;
  }
  void done() override {}
  std::string bytes;
  std::size_t at = 0;
};

std::string frame(char kind, std::string_view payload) {
  return kind + raw_bytes(static_cast<std::uint32_t>(payload.size())) + std::string(payload);
}

void read_answer(const std::filesystem::path& folder, std::string said) {
  NoSink sink;
  Answer answer(std::move(said));
  const bool done =
      neptune::read_run({folder / "data" / "p" / "r_part_0.parquet"}, answer, sink).has_value();
  if (done != (sink.ended == 1) || sink.begun > 1) std::abort();
}

// Each line is a row's JSON, or, where it begins with V, numbers.
std::string framed_lines(std::string_view bytes) {
  std::string out;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view line = bytes.substr(0, end);
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
    out += line.starts_with('V') ? frame('V', line.substr(1)) : frame('R', line);
  }
  return out;
}

void read_as(const std::filesystem::path& path, std::string_view bytes) {
  flatout::fuzz::write_file(path, bytes);
  read_path(path);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const flatout::fuzz::Scratch scratch;
  const std::filesystem::path events = scratch.path() / "events.out.tfevents.1";
  const std::filesystem::path log = scratch.path() / "run.wandb";
  const std::filesystem::path run = scratch.path() / "mlruns" / "0" / "r";
  const std::filesystem::path database = scratch.path() / "mlflow.db";
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 10) {
    case 0:
      read_as(events, bytes);
      break;
    case 1:
      read_as(events, tensorboard_file(bytes));
      break;
    case 2:
      read_as(log, bytes);
      break;
    case 3:
      read_as(log, wandb_file(bytes));
      break;
    case 4:
      flatout::fuzz::write_file(run / "metrics" / "loss", bytes);
      flatout::fuzz::write_file(run / "meta.yaml", "run_id: r\n" + std::string(bytes));
      read_path(run);
      break;
    case 5:
      read_answer(scratch.path(), std::string(bytes));
      break;
    case 6:
      read_answer(scratch.path(), frame('H', bytes) + frame('E', "null"));
      break;
    case 7:
      flatout::fuzz::write_file(scratch.path() / "files" / "p" / "a" / "b", "kept");
      read_answer(scratch.path(), frame('H', R"({"run":"r","scale":{"l":2}})") +
                                      framed_lines(bytes) + frame('E', "null"));
      break;
    case 9:
      read_as(database, bytes);
      break;
    default:
      (void)tensorboard::event_of(bytes);
      (void)tensorboard::hparams_of(bytes);
  }
  return 0;
}
