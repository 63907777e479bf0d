// The parts of the text view, in the order in which they stand on the page.
// Each adds nothing when it has nothing to say. Internal to report/.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/layout.h"
#include "run/report.h"

namespace flatout::report {

// "flatout run k7f2: train.py on A100, 12 CPUs, 312 steps (10 warm-up)", and how much of the run
// the verdict rests on.
std::vector<std::string> header_lines(const run::Report& report, const Style& style);
// "train.py" of "python -u /abs/train.py --lr 1"; "-m pkg.train"'s "pkg.train".
std::string program_name(const std::vector<std::string>& command);
// "Xeon Platinum 8481C" of "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz".
std::string short_device_name(std::string_view name);
// Of the first device that has a name, else of the processor.
std::string device_name(const run::Report& report);

// "Plan    num_workers=6", and a line for each knob that was not applied.
void add_plan(const run::Report& report, Page& page);
void add_verdict(const run::Report& report, Page& page);
void add_state(const run::Report& report, Page& page);
// Of a run that failed: the line of the program, and what could still be measured.
void add_failure(const run::Report& report, Page& page);
// The run as one bar, with what its signs mean.
void add_account(const run::Report& report, Page& page);
void add_steps(const run::Report& report, Page& page);
void add_devices(const run::Report& report, Page& page);
// Of traces of several ranks.
void add_ranks(const run::Report& report, Page& page);
// What a kernel trace says of each device.
void add_traces(const run::Report& report, Page& page);
void add_loader(const run::Report& report, Page& page);
void add_fixes(const run::Report& report, Page& page);
// What costs nothing now but could be had: advice of findings of severity info.
void add_chances(const run::Report& report, Page& page);
void add_other_findings(const run::Report& report, Page& page);
void add_unseen(const run::Report& report, Page& page);
void add_no_steps(const run::Report& report, Page& page);
void add_tracked(const run::Report& report, Page& page);
// "mnist / brisk-wave-7"; "2 metrics, 1000 points, 1 file".
std::string tracked_title(const run::TrackedReport& tracked);
// "forked from 3k2f9x1c at step 99".
std::string branch_text(const run::TrackedBranch& branch);
std::string tracked_counts(const run::TrackedReport& tracked);
void add_notes(const run::Report& report, Page& page);
// What to type next. `stored`: the run can be read again.
void add_closing(const run::Report& report, bool stored, const std::string& home, Page& page);

// What was typed, of the command that a run keeps; CMD where not all of it was kept (--no-argv,
// secrets).
std::vector<std::string> typed_command(const std::vector<std::string>& stored);

// Why a device idled, in words; the largest share first.
struct IdleCauseWords {
  std::string_view words;
  double share = 0;  // of the device's window
};
std::vector<IdleCauseWords> idle_causes(const run::IdleAccountReport& account);
// How far the host was ahead: "8.2 us ahead in the median, p95 1.3 ms".
std::string launches_text(const run::LaunchesReport& launches);
// "queue 3.2 deep in the mean, empty 40 % of the time".
std::string queue_text(const run::QueueReport& queue);
// Over the window, then by class: "41 TFLOP/s over the window, 4 % of peak; gemm 312 TFLOP/s
// (32 %); ..."; "" = nothing known.
std::string roofline_text(const run::RooflineReport& roofline);
std::string roof_class_text(const run::RooflineClassReport& one);
std::string bandwidth_text(double gb_per_s);  // "1.9 TB/s"
// Its beginning; "" = not known.
std::string flops_text(const run::RooflineReport& roofline);
// "peak 2.6 GB allocated in step 1, 3.1 GB reserved"; of samples "in steps 12 to 21"
// or "by step 1", where it is not known better, and what it had to do for want of room.
std::string allocator_text(const run::AllocatorReport& memory);
// "12 windows, 6.0 s together, 4 % of the run", or why there is none.
std::string tracing_text(const run::TracingReport& tracing);
// What its driver said: "0.97 of 151 GB; 124 of 700 W"; "" where it said nothing.
std::string driver_text(const run::DeviceReport& device);

// How many ranks, how they were numbered, and how their collectives were matched.
std::string ranks_basis_text(const run::RankComparison& ranks);
// For whom the others wait, and by what it is late; "" = for nobody.
std::string straggler_text(const run::RankComparison& ranks);
std::string clocks_text(const run::RankComparison& ranks);  // "" = they agree, or nothing is known

std::string step_text(const run::StepsReport& steps);

// Every path in `text` below the run's working directory, relative to it.
std::string relative_paths(std::string_view text, const std::string& cwd);
// "input_bound" -> "INPUT-BOUND".
std::string headline(std::string_view finding_id);
// 0.8 and above "high", 0.5 and above "medium", else "low".
std::string_view confidence_word(double confidence);
// " of the step": what the share of a finding is of.
std::string share_words(const run::Report& report, const run::Finding& finding);
// "nvml" -> "NVML"; "" for a tier that is not known.
std::string_view tier_words(std::string_view tier);

// The words of both views, text and HTML.
// "failed: exit code 3 after 12 s"; "" for a run that finished.
std::string state_text(const run::Report& report);
std::string survivors_text(const run::Report& report);  // "; left running: pid 12", or ""
// What to do about a run without steps.
std::string next_step(const run::Report& report);
// "num_workers=8", or what to do by hand.
std::string change_text(const run::Advice& advice);
std::string speedup_text(const run::Speedup& speedup);  // "x7.2 [6.5, 7.3]"; "" = not finite
// "x7.2" and "6.5 to 7.3" of such a text, for where the two stand apart; "" of "".
struct SpeedupParts {
  std::string ratio, interval;
};
SpeedupParts speedup_parts(std::string_view text);
// Of gains that were measured: small ones matter.
constexpr int kMeasuredDecimals = 2;
// Processes, cores and memory of a run.
std::string seen_text(const run::Report& report);
std::string_view risk_text(run::Risk risk);

// What is left out first when the page is full; 0 never is.
enum Rank : int {
  kAlways = 0,
  kFirstFix,
  kMainPhase,
  kDevice,
  kNextFix,
  kChance,
  kSample,
  kNote,
  kOtherFinding,
  kLastFix,
  kHost,
  kNotIt,
  kLoader,
  kUnavailable,
  kBlank,
  kMoreNotes,
  kSmallPhase,
};
// The rank of an allocator's line: one that found no room is rarer, and costs more, than what a
// full page has to spare.
Rank allocator_rank(const run::AllocatorReport& memory);

}  // namespace flatout::report
