#include "launch/installation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include "base/file.h"

namespace flatout::launch {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;
using testing::HasSubstr;

constexpr const char* kFiles[] = {"_native.abi3.so", "hooks/__init__.py", "site/sitecustomize.py",
                                  "libflatout_inject.so"};

class Installation : public testing::Test {
 protected:
  Installation() {
    char name[] = "/tmp/flatout site_XXXXXX";
    root = fs::canonical(::mkdtemp(name));
  }
  ~Installation() override { fs::remove_all(root); }

  fs::path install(const fs::path& prefix) {
    fs::create_directories(prefix / "bin");
    EXPECT_TRUE(base::write_file_atomic(prefix / "bin/flatout", "x"));
    for (const char* name : kFiles) {
      const fs::path file = prefix / "lib/flatout" / name;
      fs::create_directories(file.parent_path());
      EXPECT_TRUE(base::write_file_atomic(file, ""));
    }
    return prefix / "bin/flatout";
  }
  fs::path root;
};

TEST_F(Installation, LiesBesideTheRealBinary) {
  fs::create_symlink(install(root / "p"), root / "link");
  EXPECT_EQ(find_site_dir(root / "link").value(), root / "p/lib/flatout/site");
  EXPECT_EQ(find_trace_agent(root / "link").value(), root / "p/lib/flatout/libflatout_inject.so");
}

TEST_F(Installation, WithoutAnyOfItsFilesHooksAreOffAndALineSaysWhatToDo) {
  for (const char* name : {"_native.abi3.so", "hooks/__init__.py", "site/sitecustomize.py"}) {
    const fs::path binary = install(root / "p");
    fs::remove(root / "p/lib/flatout" / name);
    const auto site = find_site_dir(binary);
    ASSERT_FALSE(site);
    EXPECT_EQ(site.error().code, ErrorCode::kNotFound);
    EXPECT_EQ(site.error().message, "hooks are off: " + (root / "p/lib/flatout" / name).string() +
                                        " is missing; copy lib/flatout along with bin/flatout");
  }
  fs::create_directories(root / "flatout/_prefix/bin");
  ASSERT_TRUE(base::write_file_atomic(root / "flatout/_prefix/bin/flatout", "x"));
  EXPECT_THAT(find_site_dir(root / "flatout/_prefix/bin/flatout").error().message,
              HasSubstr("is missing; install flatout's wheel again"));
}

TEST_F(Installation, WithAFileThatMayNotBeReadHooksAreOff) {
  const fs::path binary = install(root / "p");
  ASSERT_EQ(::chmod((root / "p/lib/flatout/_native.abi3.so").c_str(), 0), 0);
  // Root may read any file, and its test is made as somebody else.
  const bool root_asks = ::geteuid() == 0;
  if (root_asks) {
    ASSERT_EQ(::chmod(root.c_str(), 0755), 0);
    ASSERT_EQ(::seteuid(65534), 0);
  }
  const auto site = find_site_dir(binary);
  if (root_asks) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  ASSERT_FALSE(site);
  EXPECT_EQ(site.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(site.error().message,
              HasSubstr("_native.abi3.so cannot be read: Permission denied; "));
}

TEST_F(Installation, WhosePathHoldsAColonTurnsHooksOff) {
  const auto colon = find_site_dir(install(root / "a:b"));
  ASSERT_FALSE(colon);
  EXPECT_EQ(colon.error().code, ErrorCode::kUnavailable);
}

TEST_F(Installation, HasOtherCompanions) {
  const fs::path binary = install(root / "p");
  EXPECT_EQ(find_companion("libflatout_inject.so", binary).value(),
            root / "p/lib/flatout/libflatout_inject.so");
  EXPECT_FALSE(find_companion("export_parquet.py", binary));
  EXPECT_FALSE(find_companion("export_parquet.py", "/nowhere/bin/flatout"));
}

}  // namespace
}  // namespace flatout::launch
