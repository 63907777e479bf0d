// What a RunSession loads into the program, hooks and the agent that traces, and what it says where
// they do not get there.
#include <nlohmann/json.hpp>

#include "app/run_session.h"
#include "apply/plan_file.h"
#include "base/joined.h"
#include "launch/hook_loss.h"
#include "launch/installation.h"
#include "launch/owner_mark.h"
#include "launch/ring_dir.h"
#include "launch/ring_memory.h"
#include "launch/torch_watch.h"
#include "run/facts.h"
#include "store/home.h"

namespace flatout::app {

void RunSession::prepare_hooks(const launch::Environment& env) {
  if (!options_.hooks) {
    info_.hooks_off = "--no-hooks was given";
    return;
  }
  const auto site = under_.attached ? base::Result<std::filesystem::path>(std::filesystem::path())
                                    : launch::find_site_dir();
  const std::string ipc = launch::ring_ipc(env);
  const auto kind = ipc.empty() ? launch::RingKind::kFile : launch::RingKind::kSegment;
  const auto bytes = launch::ring_bytes(env);
  if (!bytes) voice_.note(bytes.error().message);
  if (!site) {
    info_.hooks_off = site.error().message;
  } else if (auto rings = launch::create_ring_dir(info_.id, launch::ring_roots(env), kind);
             !rings) {
    info_.hooks_off = rings.error().message;
  } else {
    info_.ring_dir = rings->string();
    const auto home = open_home(options_.home);
    const bool stored = home && writer_->folder().has_value();
    ring_lock_ = launch::mark_owner(*rings, stored ? home->root() : std::filesystem::path());
    hooks_ = launch::HookPlan{.site_dir = *site,
                              .ring_dir = *rings,
                              .ring_ipc = ipc,
                              .ring_bytes = bytes ? *bytes : std::nullopt,
                              .stop_after = options_.stop_after,
                              .track_files = track_files(),
                              .quiet = options_.quiet,
                              .loader_files = options_.bench && options_.argv,
                              .capture = base::joined(options_.capture, ","),
                              .record_output = options_.record_output,
                              .plan_json = apply::hooks_json(under_.plan),
                              .plan_environment = apply::plan_environment(under_.plan, env),
                              .trial = under_.trial,
                              .seed_shift = under_.seed_shift};
    if (under_.attached) {
      info_.hooks_off = "flatout run did not start it, so its steps are not seen";
      return;
    }
    if (const auto loss = launch::hook_loss_in_command(options_.command, env)) {
      info_.hooks_off = loss->line;
      if (loss->kind == launch::LossKind::kPythonFlag) drop_hooks();
    }
  }
  if (!info_.hooks_off.empty()) voice_.note(info_.hooks_off);
}

void RunSession::prepare_trace(const launch::Environment& env) {
  if (options_.trace == "off") return;
  const auto agent = launch::find_trace_agent();
  if (!hooks_) {
    no_trace_ = "flatout's hooks are not in the program";
  } else if (const auto other = launch::other_agent(env)) {
    no_trace_ = "CUDA_INJECTION64_PATH has another tool loaded, " + *other +
                "; run without it, or unset the variable";
  } else if (!agent) {
    no_trace_ = agent.error().message;
  } else {
    trace_ = launch::TracePlan{.library = *agent, .mode = options_.trace};
  }
  if (!no_trace_.empty()) voice_.note("no kernel trace: " + no_trace_);
}

// Until a process says more.
void RunSession::tell_trace() {
  if (options_.trace == "off") return;
  const nlohmann::json said = {
      {"state", "absent"},
      {"why", no_trace_.empty() ? "no process of the run used CUDA where flatout could follow it"
                                : no_trace_}};
  note_fact(run::facts::kTrace,
            said.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

// A Python with -S keeps PYTHONPATH but never runs our sitecustomize, so our
// folder would stay on its sys.path for nothing.
void RunSession::drop_hooks() {
  (void)launch::remove_ring_dir(hooks_->ring_dir);
  hooks_.reset();
  info_.ring_dir.clear();
}

void RunSession::look_for_lost_hooks(base::TimeNs now) {
  if (!hook_watch_) return;
  const bool spoke = recorder_->counts().events > 0;
  for (const std::string& line : hook_watch_->tick(now, spoke)) {
    losses_said_ = true;
    tell_problem(line);
  }
  torch_watch_->tick(now, spoke);
}

// At the end: an import of torch may take long, and only then have the hooks a word to say.
void RunSession::admit_missing_hooks() {
  if (!torch_watch_ || losses_said_ || recorder_->counts().events > 0) return;
  std::error_code ignored;
  if (std::filesystem::exists(hooks_->ring_dir / "attached", ignored)) return;
  if (const auto pid = torch_watch_->without_hooks()) {
    tell_problem(
        "process " + std::to_string(*pid) +
        " loaded PyTorch, but its import did not end, or flatout's hooks did not attach; the "
        "latter is a fault of flatout, not of the program: please report how it imports "
        "torch");
  }
}

// Also into the recording, so that a later report knows it.
void RunSession::tell_problem(const std::string& line) {
  voice_.note(line);
  const nlohmann::json problem = {{"problem", line}};
  note_fact(run::facts::kProblem,  // what memory could not keep was still said
            problem.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace flatout::app
