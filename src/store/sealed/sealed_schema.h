// The schema of run.sqlite, version 1, described in docs/formats/run-sqlite.md.
// Part of the format: a change is a new version. Internal to store/.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstdint>
#include <string_view>

#include "store/sealed/packing.h"

namespace flatout::store {

constexpr std::int64_t kSealedApplicationId = 0x464c4f52;  // "FLOR"
constexpr std::int64_t kSealedVersion = 1;

// A reader compares the text of the schema with this, so that a file made by
// somebody else can bring no view, trigger or virtual table of its own.
constexpr const char* kSealedSchema =
    "CREATE TABLE run(key TEXT PRIMARY KEY, value TEXT, checksum INTEGER) WITHOUT ROWID;"
    "CREATE TABLE record(seq INTEGER PRIMARY KEY, type INTEGER, payload TEXT, checksum INTEGER);"
    "CREATE TABLE event(seq INTEGER PRIMARY KEY, type INTEGER, pid INTEGER, count INTEGER,"
    " t_min INTEGER, t_max INTEGER, raw INTEGER, checksum INTEGER, data BLOB);"
    "CREATE TABLE times(id INTEGER PRIMARY KEY, count INTEGER, raw INTEGER, checksum INTEGER,"
    " data BLOB);"
    "CREATE TABLE chunk(id INTEGER PRIMARY KEY, metric INTEGER, source INTEGER, t_min INTEGER,"
    " t_max INTEGER, count INTEGER, finite INTEGER, min REAL, max REAL, sum REAL, first REAL,"
    " last REAL, times INTEGER, times_from INTEGER, raw INTEGER, checksum INTEGER);"
    "CREATE TABLE chunk_data(id INTEGER PRIMARY KEY, checksum INTEGER, data BLOB);"
    "CREATE TABLE zoom(id INTEGER PRIMARY KEY, raw INTEGER, checksum INTEGER, data BLOB);"
    "CREATE TABLE metric(id INTEGER PRIMARY KEY, name TEXT, unit TEXT);";

// Keys of table `run`.
constexpr const char* kInfoKey = "info";  // as frames 1, 10, 9, 11, 12 of the log
constexpr const char* kEndKey = "end";
constexpr const char* kCountsKey = "counts";
constexpr const char* kDroppedKey = "dropped";
constexpr const char* kRecoveredKey = "recovered";
constexpr const char* kLogKey = "log";        // {"bytes","changed_ns"} of the log it was made from
constexpr const char* kTotalsKey = "totals";  // rows of each table

// `type` of a row in `record` that is a note of the sealing and no frame.
constexpr std::int64_t kNoteRecord = 0;

inline std::uint64_t field_bits(double value) { return std::bit_cast<std::uint64_t>(value); }
template <std::integral T>
std::uint64_t field_bits(T value) {
  return static_cast<std::uint64_t>(value);
}

// The checksum of a row: of its fields in order and its blob, seeded with the
// first letter(s) of its table.
template <typename... Fields>
std::int64_t row_checksum(std::string_view table, std::string_view blob, Fields... fields) {
  const std::array<std::uint64_t, sizeof...(Fields)> bits = {field_bits(fields)...};
  const std::string_view bytes(reinterpret_cast<const char*>(bits.data()), 8 * sizeof...(Fields));
  const auto seed = static_cast<std::uint64_t>(
      checksum_of(bytes, static_cast<std::uint64_t>(checksum_of(table, 0))));
  return checksum_of(blob, seed);
}

}  // namespace flatout::store
