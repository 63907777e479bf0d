#include "app/python_tool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "base/file.h"

namespace flatout::app {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Programs that do as their text says, in the place of Pythons.
class PythonTool : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/flatout-python-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string program(const std::string& path, const std::string& body) {
    const fs::path full = folder_ / path;
    fs::create_directories(full.parent_path());
    EXPECT_TRUE(base::write_file_atomic(full, "#!/bin/sh\n" + body + "\n"));
    EXPECT_EQ(::chmod(full.c_str(), 0700), 0);
    return full.string();
  }
  std::vector<std::string> candidates(const std::map<std::string, std::string>& variables) {
    return python_candidates([&](const char* name) {
      const auto found = variables.find(name);
      return found == variables.end() ? nullptr : found->second.c_str();
    });
  }
  std::string at(const std::string& path) const { return (folder_ / path).string(); }

  fs::path folder_;
};

TEST_F(PythonTool, LooksInTheDocumentedOrder) {
  const std::string venv = program("venv/bin/python3", "exit 0");
  const std::string conda = program("conda/bin/python3", "exit 0");
  const std::string path = program("bin/python3", "exit 0");
  EXPECT_THAT(candidates({{"VIRTUAL_ENV", at("venv")},
                          {"CONDA_PREFIX", at("conda")},
                          {"PATH", at("none") + ":" + at("bin")}}),
              ElementsAre(venv, conda, path));
  EXPECT_THAT(candidates({{"VIRTUAL_ENV", at("venv")}, {"PATH", at("venv/bin")}}),
              ElementsAre(venv));
  EXPECT_THAT(candidates({{"FLATOUT_PYTHON", conda}, {"PATH", at("bin")}}), ElementsAre(conda));
  EXPECT_THAT(candidates({{"FLATOUT_PYTHON", "python3"}, {"PATH", at("bin")}}), ElementsAre(path));
  EXPECT_THAT(candidates({{"FLATOUT_PYTHON", at("gone")}, {"PATH", at("bin")}}), IsEmpty());
  EXPECT_THAT(candidates({}), IsEmpty());
}

TEST_F(PythonTool, TakesTheFirstThatHasThePackage) {
  const std::string without = program("a", "exit 1");
  const std::string with = program("b", "test \"$2\" = --check");
  EXPECT_EQ(python_with("pyarrow", "x.py", {without, with}).value(), with);
}

TEST_F(PythonTool, SaysHowToInstallIt) {
  const std::string without = program("a", "echo noise; exit 1");
  const auto none = python_with("pyarrow", "x.py", {without});
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, HasSubstr(without + " -m pip install pyarrow"));
  const auto nowhere = python_with("pyarrow", "x.py", {});
  ASSERT_FALSE(nowhere);
  EXPECT_THAT(nowhere.error().message, HasSubstr("FLATOUT_PYTHON"));
}

TEST_F(PythonTool, GivesTheStatusOfWhatItRan) {
  EXPECT_EQ(run_to_end({program("a", "exit 7")}, true).value(), 7);
  EXPECT_EQ(run_to_end({program("b", "kill -9 $$")}, true).value(), 128 + 9);
  EXPECT_EQ(run_to_end({program("c", "read x && exit 1; exit 0")}, true).value(), 0);
  EXPECT_FALSE(run_to_end({at("gone")}, true));
}

}  // namespace
}  // namespace flatout::app
