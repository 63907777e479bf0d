#include "app/report_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"

namespace flatout::app {
namespace {

TEST(ReportFile, ReplacesAFileAndWritesThroughALink) {
  std::string pattern = testing::TempDir() + "report-XXXXXX";
  const std::filesystem::path folder = ::mkdtemp(pattern.data());
  const std::filesystem::path file = folder / "r.json";
  ASSERT_TRUE(write_report_file(file, "a long first text"));
  ASSERT_TRUE(write_report_file(file, "{}"));
  EXPECT_EQ(base::read_file(file).value_or(""), "{}");
  std::filesystem::create_symlink(file, folder / "link");
  ASSERT_TRUE(write_report_file(folder / "link", "{\"a\":1}"));
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(base::read_file(file).value_or(""), "{\"a\":1}");
  std::filesystem::remove_all(folder);
}

TEST(ReportFile, SaysWhatCannotBeWritten) {
  const auto done = write_report_file("/nowhere/r.json", "{}");
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("/nowhere"), std::string::npos);
  EXPECT_FALSE(write_report_file("/dev/full", "{}"));
}

}  // namespace
}  // namespace flatout::app
