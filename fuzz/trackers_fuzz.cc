// Files of other trackers: the bytes as they are, and as records within frames that fit.
#include <zlib.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "scratch.h"
#include "trackers/find_runs.h"
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
  const bool done = read_found(found->front(), sink).has_value();
  if (done != (sink.ended == 1) || sink.begun > 1) std::abort();
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
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 6) {
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
    default:
      (void)tensorboard::event_of(bytes);
      (void)tensorboard::hparams_of(bytes);
  }
  return 0;
}
