// Exports of Nsight Systems for tests: small databases, written with SQL.
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>

namespace flatout::trace {

class ExportTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = std::filesystem::temp_directory_path() / "flatout-nsys-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // A database in which these statements were executed, all of which succeed.
  std::filesystem::path database(const std::string& sql,
                                 const std::string& name = "report.sqlite") {
    const std::filesystem::path path = folder_ / name;
    sqlite3* handle = nullptr;
    EXPECT_EQ(sqlite3_open(path.c_str(), &handle), SQLITE_OK);
    char* problem = nullptr;
    sqlite3_exec(handle, "PRAGMA synchronous=OFF; PRAGMA journal_mode=OFF", nullptr, nullptr,
                 nullptr);
    sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, &problem);
    EXPECT_EQ(problem, nullptr) << problem;
    sqlite3_free(problem);
    sqlite3_close(handle);
    return path;
  }

  std::filesystem::path folder_;
};

// As an export packs them: a machine's number, of one of which the top bit is set.
inline std::string global_pid(std::int64_t pid) { return std::to_string(pid << 24); }
inline std::string global_tid(std::int64_t pid, std::int64_t tid, std::uint64_t machine = 0) {
  return std::to_string(
      static_cast<std::int64_t>(machine << 56 | static_cast<std::uint64_t>(pid << 24 | tid)));
}

}  // namespace flatout::trace
