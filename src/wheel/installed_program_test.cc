#include "wheel/installed_program.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace flatout::wheel {
namespace {

namespace fs = std::filesystem;

class InstalledProgram : public testing::Test {
 protected:
  InstalledProgram() {
    char name[] = "/tmp/flatout wheel_XXXXXX";
    top = fs::canonical(::mkdtemp(name));
    root = top / "prefix";
    fs::create_directories(root / "bin");
  }
  ~InstalledProgram() override { fs::remove_all(top); }

  fs::path install(const std::string& packages, const std::string& version) {
    const fs::path program = root / packages / "flatout/_prefix/bin/flatout";
    fs::create_directories(program.parent_path());
    fs::create_directories(root / packages / ("flatout-" + version + ".dist-info"));
    std::ofstream(program) << "x";
    return program;
  }
  std::string found(const std::string& version = "1.2") {
    char path[kPathBytes] = "";
    return find_installed_program((root / "bin").c_str(), version.c_str(), path) ? path : "";
  }
  fs::path top;
  fs::path root;
};

TEST_F(InstalledProgram, LiesWhereInstallersPutThePackage) {
  for (const char* packages : {".", "lib/python3.9/site-packages", "lib64/python3.13/site-packages",
                               "lib/python3/dist-packages", "lib/python", "site-packages"}) {
    const fs::path program = install(packages, "1.2");
    EXPECT_EQ(fs::path(found()).lexically_normal(), program.lexically_normal()) << packages;
    fs::remove_all(program.parent_path().parent_path().parent_path());
  }
  EXPECT_EQ(found(), "");
}

TEST_F(InstalledProgram, IsOfItsOwnVersionWherePythonsShareAPrefix) {
  install("lib/python3.9/site-packages", "1.1");
  const fs::path own = install("lib/python3.11/site-packages", "1.2");
  install("lib/python3.13/site-packages", "1.3");
  EXPECT_EQ(found("1.2"), own);
}

TEST_F(InstalledProgram, IsAnotherOneOnlyWhereNoneIsOfItsVersion) {
  const fs::path other = install("lib/python3.9/site-packages", "1.1");
  EXPECT_EQ(found("1.2"), other);
}

TEST_F(InstalledProgram, IsFoundInAWheelThatWasUnpacked) {
  const fs::path program = install("unpacked", "1.2");
  fs::create_directories(root / "unpacked/flatout-1.2.data/scripts");
  char path[kPathBytes] = "";
  ASSERT_TRUE(
      find_installed_program((root / "unpacked/flatout-1.2.data/scripts").c_str(), "1.2", path));
  EXPECT_EQ(path, program);
}

TEST_F(InstalledProgram, IsNotTakenFromAboveThePrefix) {
  install("..", "1.2");
  EXPECT_EQ(found(), "") << "what lies above the prefix is somebody else's";
}

TEST_F(InstalledProgram, HasNoPathThatWasCutOff) {
  char path[kPathBytes] = "";
  EXPECT_FALSE(find_installed_program(("/" + std::string(kPathBytes, 'a')).c_str(), "1.2", path));
  EXPECT_FALSE(find_installed_program("", "1.2", path));
}

}  // namespace
}  // namespace flatout::wheel
