#include "seed_trackers.h"

#include <bit>
#include <cstdint>
#include <string>

#include "seed_exports.h"
#include "seed_file.h"

namespace flatout::fuzz {
namespace {

std::string varint_bytes(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}
std::string bytes_field(std::uint32_t field, const std::string& bytes) {
  return varint_bytes(field << 3 | 2) + varint_bytes(bytes.size()) + bytes;
}
std::string number_field(std::uint32_t field, std::uint64_t value) {
  return varint_bytes(field << 3) + varint_bytes(value);
}
std::string double_field(std::uint32_t field, double value) {
  std::string out = varint_bytes(field << 3 | 1);
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (int i = 0; i < 64; i += 8) out += static_cast<char>(bits >> i);
  return out;
}

std::string event_seed() {
  const std::string tensor = number_field(1, 1) + bytes_field(4, std::string("\0\0\0\x3f", 4));
  const std::string value = bytes_field(1, "loss") + bytes_field(8, tensor) +
                            bytes_field(9, bytes_field(1, bytes_field(1, "scalars")));
  return double_field(1, 1000.5) + number_field(2, 7) + bytes_field(5, bytes_field(1, value));
}

std::string wandb_seed() {
  const std::string item = bytes_field(1, "lr") + bytes_field(16, "0.1");
  const std::string run = bytes_field(1, "id") + bytes_field(17, number_field(1, 1000)) +
                          bytes_field(4, bytes_field(1, item));
  const std::string row = bytes_field(
      1, bytes_field(2, "a") + bytes_field(2, "b") + bytes_field(16, R"({"c":[NaN,1]})"));
  return bytes_field(17, run) + bytes_field(2, row) + bytes_field(18, number_field(1, 1));
}

std::string neptune_seed() {
  const std::string numbers(
      "V\1\0\0\0\1\0\0\0l\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0"
      "\1\0\0\0\0\0\0\0\0\0\0\0\0\0\xf0?\n",
      43);
  return numbers +
         R"({"path":"params/a","type":"float","step":null,"ms":null,"value":0.5})"
         "\n"
         R"({"path":"h","type":"histogram_series","step":1500000,"ms":1700000000000,"value":{"type":"COUNTING","edges":[0,1],"values":[2]}})"
         "\n"
         R"({"path":"runtime/stdout","type":"string_series","step":0,"ms":1,"value":"x"})"
         "\n"
         R"({"path":"f","type":"file_series","step":0,"ms":1,"value":"a/b"})"
         "\n"
         R"({"path":"f","type":"file_set","step":null,"ms":null,"value":"a/../a"})"
         "\n";
}

// Pages are small, so that changes hit what matters.
constexpr const char* kMlflowDatabase =
    "PRAGMA page_size=512;"
    "CREATE TABLE experiments (experiment_id INTEGER PRIMARY KEY, name TEXT);"
    "CREATE TABLE runs (run_uuid TEXT PRIMARY KEY, name TEXT, user_id TEXT, source_name TEXT,"
    " status TEXT, start_time BIGINT, end_time BIGINT, lifecycle_stage TEXT, artifact_uri TEXT,"
    " experiment_id INTEGER);"
    "CREATE TABLE metrics (key TEXT, value FLOAT, timestamp BIGINT, run_uuid TEXT, step BIGINT,"
    " is_nan BOOLEAN);"
    "CREATE TABLE params (key TEXT, value TEXT, run_uuid TEXT);"
    "CREATE TABLE tags (key TEXT, value TEXT, run_uuid TEXT);"
    "INSERT INTO experiments VALUES (1,'e');"
    "INSERT INTO runs VALUES ('r','n','u','t.py','FINISHED',1700000000000,1700000009000,'active',"
    "'',1);"
    "INSERT INTO metrics VALUES ('loss',0.5,1700000001000,'r',0,0);"
    "INSERT INTO params VALUES ('lr','0.1','r');"
    "INSERT INTO tags VALUES ('mlflow.runName','n','r'),('a','b','r');";

}  // namespace

bool write_tracker_seeds(const std::string& folder) {
  return write_file(folder + "/event", '\1' + event_seed()) &&
         write_file(folder + "/bare_event", '\10' + event_seed()) &&
         write_file(folder + "/wandb", '\3' + wandb_seed()) &&
         write_file(folder + "/neptune", '\7' + neptune_seed()) &&
         write_file(folder + "/neptune_head",
                    '\6' + std::string(R"({"run":"r","project":"a/b","first_ms":5,"system":)"
                                       R"({"sys/tags":["t"],"sys/failed":true}})")) &&
         write_file(folder + "/mlflow", "\4status: 3\n1700000000000 0.5 1\n") &&
         write_database_seed(folder + "/mlflow_database", '\11', kMlflowDatabase);
}

}  // namespace flatout::fuzz
