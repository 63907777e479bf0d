// A folder with everything odd in it, and a throwaway workspace over it.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "launch/spawned_for_test.h"
#include "workspace/tree_for_test.h"
#include "workspace/workspace.h"

namespace flatout::workspace {

// Whether the kernel lays an overlay for this user on the file system of `dir`, found
// out by the plainest means: what a skip of a test rests on.
bool kernel_gives_overlay(const std::filesystem::path& dir);

class WorkspaceTest : public testing::TestWithParam<WorkspaceKind> {
 protected:
  WorkspaceTest() {
    std::filesystem::create_directory(cwd);
    std::filesystem::create_directory(scratch);
    std::filesystem::create_directory(top / "neighbour");
    write(top / "neighbour/file", "next door");
    make_odd_tree(cwd);
    before = tree(cwd);
  }

  // Makes the workspace in the way that is asked for; false, with the reason as a skip,
  // where the kernel refuses it.
  bool make(WorkspaceOptions options = {}) {
    options.overlay = GetParam() == WorkspaceKind::kOverlay;
    auto made = Workspace::make(cwd, scratch, options);
    if (!made) {
      ADD_FAILURE() << made.error().message;
      return false;
    }
    workspace.emplace(std::move(*made));
    if (workspace->kind() != GetParam()) {
      skip = testing::PrintToString(workspace->notes());
      EXPECT_FALSE(kernel_gives_overlay(top.path())) << "and yet: " << skip;
      return false;
    }
    return true;
  }

  // A shell in the workspace; what it prints.
  std::string run(const std::string& script, int expected_exit = 0) {
    const launch::ChildSetup enter = workspace->enter();
    const auto before_exec = [&] {
      const launch::SetupFailure failure = enter();
      if (failure.what == nullptr) return;
      ::dprintf(1, "%s: errno %d", failure.what, failure.err);
      ::_exit(98);
    };
    launch::Spawned shell({"/bin/sh", "-c", script}, {.env = {}, .before_exec = before_exec});
    const std::string output = shell.read_output();
    EXPECT_EQ(shell.wait(), (launch::Exit{.code = expected_exit})) << output << shell.read_error();
    return output;
  }

  std::string changes() {
    const auto changed = workspace->changed(100);
    if (!changed) return changed.error().message;
    std::string out;
    for (const Change& change : changed->entries) {
      out += "+~-"[static_cast<int>(change.kind)] + change.path.string() + " ";
    }
    return out;
  }

  // In memory, where the end of an overlay does not wait for a disk.
  TemporaryDir top{::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"};
  std::filesystem::path cwd = top / "project, a:b";
  std::filesystem::path scratch = top / "scratch, c:d";
  std::map<std::string, std::string> before;
  std::optional<Workspace> workspace;
  std::string skip;
};

#define MAKE_OR_SKIP(...) \
  if (!make(__VA_ARGS__)) GTEST_SKIP() << "the kernel gives no overlay: " << skip

}  // namespace flatout::workspace
