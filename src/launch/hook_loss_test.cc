#include "launch/hook_loss.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "base/file.h"
#include "launch/python_flags.h"

namespace flatout::launch {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

Words split(const std::string& line) {
  Words out;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    out.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

TEST(HookKillingFlag, FollowsPythonsOwnGrammar) {
  const std::pair<const char*, char> cases[] = {
      {"python train.py", 0},
      {"python", 0},
      {"python -I train.py", 'I'},
      {"python -IB train.py", 'I'},
      {"python -uE train.py", 'E'},
      {"python -BS", 'S'},
      {"python -s -P -u train.py", 0},
      {"python train.py -I -E -S", 0},
      {"python -c print(1) -I", 0},
      {"python -m mod -S", 0},
      {"python -mIES", 0},
      {"python -cIES", 0},
      {"python -um mod -E", 0},
      {"python -Ic pass", 'I'},
      {"python -X dev -I x.py", 'I'},
      {"python -X importtime x.py -I", 0},
      {"python -X I x.py", 0},
      {"python -XIES x.py", 0},
      {"python -W error -S x.py", 'S'},
      {"python -WS x.py", 0},
      {"python --check-hash-based-pycs always -E x.py", 'E'},
      {"python --version -S", 'S'},
      {"python -- -I", 0},
      {"python - -I", 0},
  };
  for (const auto& [line, flag] : cases) EXPECT_EQ(hook_killing_flag(split(line)), flag) << line;
}

TEST(IsPython, ByBaseName) {
  for (const char* yes : {"python", "python3", "python3.11", "python3.13t", "pypy3", "pypy3.10"}) {
    EXPECT_TRUE(is_python(yes)) << yes;
  }
  for (const char* no : {"", "py", "python-config", "python3-config", "ipython", "pythonw.exe"}) {
    EXPECT_FALSE(is_python(no)) << no;
  }
}

struct LossCase {
  const char* line;
  const char* says;  // part of the line; nullptr = no loss
  Words env = {};
};

TEST(HookLossInCommand, NamesTheCauseAndWhatToDo) {
  const Words node = {"SLURMD_NODENAME=n1"};
  const Words two_nodes = {"SLURMD_NODENAME=n1", "SLURM_JOB_NUM_NODES=2"};
  const LossCase cases[] = {
      {"python train.py", nullptr},
      {"uv run python -u train.py", nullptr},
      {"conda run -n env python train.py", nullptr},
      {"torchrun --nproc-per-node 2 train.py", nullptr},
      {"accelerate launch train.py", nullptr},
      {"sh train.sh", nullptr},
      {"bash -c ssh", nullptr},
      {"/usr/bin/sudo -u me python train.py", "sudo ... flatout run --"},
      {"sudo --preserve-env=PYTHONPATH,FLATOUT_RING_DIR,FLATOUT_RUN python x.py", nullptr},
      {"docker run --rm image python x.py", "docker run ... flatout run --"},
      {"docker --context c exec box python x.py", "inside it"},
      {"docker images", nullptr},
      {"podman run image", "podman run"},
      {"kubectl exec pod -- python x.py", "inside it"},
      {"apptainer exec image.sif python x.py", nullptr},
      {"apptainer exec --cleanenv image.sif python x.py", "apptainer ... flatout run --"},
      {"ssh host python x.py", "ssh HOST flatout run --"},
      {"srun python x.py", "another machine"},
      {"srun python x.py", nullptr, node},
      {"srun -N 1 python x.py", nullptr, two_nodes},
      {"srun python x.py", "other machines", two_nodes},
      {"srun -N4 python x.py", "other machines", node},
      {"srun --nodes=2 python x.py", "other machines", node},
      {"srun --export=NONE python x.py", "--export", node},
      {"srun --export=ALL,A=1 python x.py", nullptr, node},
      {"env -i python x.py", "env -i"},
      {"env - python x.py", "env -i"},
      {"env -u PYTHONPATH python x.py", "env -u PYTHONPATH"},
      {"env PYTHONPATH=/a python x.py", "set it before flatout"},
      {"env A=1 -u B python x.py", nullptr},
      {"env A=1 python -I x.py", "python -I"},
      {"env A=1", nullptr},
      {"nohup nice -n 5 python3 -E x.py", "python3 -E ignores PYTHONPATH"},
      {"timeout -s INT 5 python -S x.py", "does not import sitecustomize"},
      {"taskset -c 0-3 sudo python x.py", "sudo"},
      {"numactl --cpunodebind=0 -m 0 python -I x.py", "python -I"},
      {"time", nullptr},
      {"timeout", nullptr},
  };
  for (const LossCase& c : cases) {
    const auto loss = hook_loss_in_command(split(c.line), c.env);
    ASSERT_EQ(loss.has_value(), c.says != nullptr) << c.line << ": " << (loss ? loss->line : "");
    if (!loss) continue;
    EXPECT_TRUE(loss->line.contains(c.says)) << c.line << ": " << loss->line;
    EXPECT_FALSE(loss->line.contains('\n') || loss->line.ends_with('.')) << loss->line;
  }
  EXPECT_FALSE(hook_loss_in_command({}, {}));
}

class Tree : public testing::Test {
 protected:
  Tree() {
    char name[] = "/tmp/flatout_proc_XXXXXX";
    proc = ::mkdtemp(name);
  }
  ~Tree() override { fs::remove_all(proc); }

  static std::string zeros(const Words& words) {
    std::string out;
    for (const std::string& word : words) out.append(word).push_back('\0');
    return out;
  }
  void add(int pid, int parent, const std::string& exe, const std::string& line, const Words& env) {
    const fs::path dir = proc / std::to_string(pid);
    fs::create_directory(dir);
    const std::string stat = std::to_string(pid) + " (x) S " + std::to_string(parent) + " 0 0";
    EXPECT_TRUE(base::write_file_atomic(dir / "stat", stat));
    EXPECT_TRUE(base::write_file_atomic(dir / "cmdline", zeros(split(line))));
    EXPECT_TRUE(base::write_file_atomic(dir / "environ", zeros(env)));
    fs::create_symlink(exe, dir / "exe");
  }
  fs::path proc;
  const Words with_hooks = {"A=1", "PYTHONPATH=/x:/opt/site:/y"};
  const Words without = {"A=1", "PYTHONPATH=/opt/site2"};
};

TEST_F(Tree, FindsEachCauseOnceAndNothingWhereHooksAre) {
  add(10, 1, "/bin/dash", "sh run.sh", with_hooks);
  add(11, 10, "/usr/bin/python3.11", "python train.py", with_hooks);
  EXPECT_TRUE(hook_losses_in_tree(10, "/opt/site", proc).empty());
  add(12, 10, "/usr/bin/python3.11", "python train.py", without);
  add(13, 12, "/usr/bin/python3.11", "python -c spawn", without);
  add(14, 12, "/usr/bin/python3.11", "python -I x.py", with_hooks);
  add(15, 10, "/usr/bin/sudo", "sudo python x.py", {});
  add(16, 1, "/usr/bin/python3.11", "python of-somebody-else.py", without);
  const auto losses = hook_losses_in_tree(10, "/opt/site", proc);
  ASSERT_EQ(losses.size(), 3U);
  EXPECT_EQ(losses[0].kind, LossKind::kEnvironment);
  EXPECT_EQ(losses[0].pid, 12);
  EXPECT_TRUE(losses[0].line.contains("flatout run -- python3.11"));
  EXPECT_EQ(losses[1].kind, LossKind::kPythonFlag);
  EXPECT_EQ(losses[2].kind, LossKind::kLauncher);
}

TEST_F(Tree, WhatCannotBeReadTellsNothing) {
  add(10, 1, "/usr/bin/python3.11", "python train.py", {});
  add(11, 10, "/usr/bin/python3.11", "worker: title over all", {"", "", "ATH=/usr"});
  fs::create_directory(proc / "12");
  EXPECT_TRUE(base::write_file_atomic(proc / "12/stat", "12 (x) S 10 0 0"));
  EXPECT_TRUE(hook_losses_in_tree(10, "/opt/site", proc).empty());
  EXPECT_TRUE(hook_losses_in_tree(99, "/opt/site", proc).empty());
}

}  // namespace
}  // namespace flatout::launch
