#include "seed_texts.h"

#include <string>
#include <string_view>

#include "apply/journal.h"
#include "seed_file.h"

namespace flatout::fuzz {

// A plan as `flatout tune` writes it.
bool write_plan_seeds(const std::string& folder) {
  constexpr std::string_view kPlan =
      "made_by = \"flatout\"\n\n[knobs]\ndataloader.num_workers = 6\nx.\"odd name\" = "
      "\"t\\u00e9\"\n"
      "y = 0.5\nz = true\nprogram.depth = 8\n\n[[knob]]\nname = \"w\"\nargument = \"-w {}\"\nvalue "
      "= 4\n"
      "\n[[knob]]\nname = \"omp\"\nenvironment = \"OMP_NUM_THREADS={}\"\nvalue = "
      "\"2\"\n\n[[evidence]]\nknob = \"dataloader.num_workers\"\nfrom = 0\n"
      "predicted = [2.4, 2.25, 2.5]\nmeasured = [2.46, 2.41, 2.5]\nruns = [\"k7f2\", \"m3qa\"]\n";
  return write_file(folder + "/plan", kPlan);
}

// A space with each kind of line.
bool write_space_seeds(const std::string& folder) {
  constexpr std::string_view kSpace =
      "[search]\nobjective = \"log:loss\"\ndirection = \"min\"\ntrials = 9\nmin_steps = 20\n"
      "max_steps = 200\nreduction = 4\nseed = 3\nbudget = \"10m\"\n[arguments]\n\"--lr\" = {from = "
      "1e-4, to = 1e-1, scale = \"log\"}\n\"--mode\" = {values = [\"a\", 2, true]}\n\"--width\" = "
      "{from = 16, to = 256, step = 16}\n[environment]\nOMP_NUM_THREADS = {values = [1, 2]}\n"
      "[knobs]\ndataloader.num_workers = {from = 0, to = 4}\n";
  return write_file(folder + "/space", kSpace);
}

// A budget with each kind of line.
bool write_budget_seeds(const std::string& folder) {
  constexpr std::string_view kBudget =
      "[limits]\ndevice.busy = {min = \"85 %\"}\nstep.p99_ms = {max = 120, optional = true}\n"
      "phase.data_wait.max = 0.1\nidle.sync = {max = 0.1}\nhost.memory_bytes = {max = \"2 GiB\"}\n"
      "[values]\n\"train/loss\" = {max = 0.3, min = -1e3}\na.b = {max = 1}\n[run]\n"
      "states = [\"finished\"]\nno_findings = [\"input_bound\"]\n[baseline]\n"
      "step.mean_ms = {worse_by = \"5 %\", strict = true}\nrefuse = [\"other_machine\"]\n";
  return write_file(folder + "/budget", kBudget);
}

// Output of a program as records; read as pieces of text, it holds escapes, bars and long lines,
// too.
bool write_output_seeds(const std::string& folder) {
  constexpr std::string_view kRecords =
      "10\to\thello\n20\te\t\x1b[31mred\x1b[0m\r30\te\tbar 60 %\r40\t-\t12 3400\n"
      "50\to\t\x1b]0;title\a\ttab\n\r 1%\x1b[A\n\x1b[2K60\to\tlast";
  return write_file(folder + "/output", kRecords);
}

// A query with each kind of term.
bool write_query_seeds(const std::string& folder) {
  constexpr std::string_view kQuery =
      R"(resnet config.a.b <= 0.01 and (steps == 3 or state != 'failed') and not tag("x") or )"
      R"(name contains a or state in (lost, "failed") or x in tags or summary.l < config.t)";
  return write_file(folder + "/query", kQuery);
}

// Keys, sequences and the mouse of a terminal.
bool write_top_keys_seeds(const std::string& folder) {
  return write_file(folder + "/keys",
                    "qhsp\x1b[A\x1bOB\x1b[5~\x1b[<0;12;5M\x1b[<64;1;1M\x1b[1;5C\x1b");
}

// A trial's file, and its result.
bool write_trial_job_seeds(const std::string& folder) {
  constexpr std::string_view kJob =
      R"({"schema":"flatout.trial/1","home":"/h","directory":"/w","output":"/o","command":["a"],)"
      R"("environment":[["A","1"]],"knobs":[["x.y","4",""],["user.w","4","-w {}"]],"steps":20,)"
      R"("timeout_ns":9,"seed_shift":0,"unbuffered":true,"driven":false,)"
      R"("name":"n","parent":"k7f2","in_place":false,"probe":false})";
  constexpr std::string_view kResult =
      R"({"schema":"flatout.trial_result/1","run":"k7f2","ended":"main","trouble":"",)"
      R"("place":"overlay","notes":["n"],"written":["out"],"lasting":["/l"]})";
  return write_file(folder + "/job", kJob) && write_file(folder + "/result", kResult);
}

// A driven program answers so for its settings.
bool write_outcomes_seeds(const std::string& folder) {
  return write_file(folder + "/outcomes",
                    R"({"optimizer.fused":{"knob":"optimizer.fused","value":true,"applied":true,)"
                    R"("from":false},"a.b":{"value":"w","applied":false,"reason":"not here"}})");
}

// A journal, and a report as it is kept beside it.
bool write_tune_seeds(const std::string& folder) {
  using namespace flatout::apply;
  const JournalHead head = {.started_ns = 17,
                            .command = {"python", "train.py"},
                            .folder = "/w",
                            .options = {{"risk", "rounding"}}};
  const JournalEntry baseline = {.steps = 40, .run = "k7f2", .seen = 40};
  const JournalEntry tried = {.knobs = {{"dataloader.num_workers", "4"}, {"user.w", "2", "-w {}"}},
                              .steps = 80,
                              .seed_shift = 1,
                              .final = true,
                              .run = "m3qa",
                              .failure = "exit status 1",
                              .seen = 7};
  const std::string journal =
      journal_line(head) + journal_line(baseline) + journal_line(tried) + journal_end();
  constexpr std::string_view kTune =
      R"({"schema":"flatout.tune/1","ended_ns":17,"trials":[{"knob":"a","predicted_speedup":2.5,)"
      R"("predicted_interval":[2.25,2.75],"speedup":2.0,"interval":[1.9,2.1]}]})";
  return write_file(folder + "/journal", journal) && write_file(folder + "/tune", kTune);
}

}  // namespace flatout::fuzz
