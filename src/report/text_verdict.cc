// What is said in sentences: the verdict, the state, the runs without steps.
#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

#include "report/account_parts.h"
#include "report/quantity.h"
#include "report/signal_name.h"
#include "report/text_parts.h"

namespace flatout::report {
namespace {

bool path_may_start(std::string_view text, std::size_t at) {
  return at == 0 || std::string_view(" (['\"=:,").find(text[at - 1]) != std::string_view::npos;
}

}  // namespace

std::string seen_text(const run::Report& report) {
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (report.host.processes) {
    const int count = *report.host.processes;
    add(std::to_string(count) + (count == 1 ? " process" : " processes"));
  }
  if (report.host.cpu_mean) {
    std::string cpu = "CPU " + format_number(*report.host.cpu_mean);
    if (report.host.cpus > 0) cpu += " of " + std::to_string(report.host.cpus);
    add(cpu + " cores busy");
  }
  if (report.host.memory_peak_bytes) {
    add("memory peak " + format_bytes(static_cast<double>(*report.host.memory_peak_bytes)));
  }
  return text;
}

std::string survivors_text(const run::Report& report) {
  if (!report.end || report.end->survivors.empty()) return "";
  const auto& pids = report.end->survivors;
  std::string text = "; left running: pid";
  for (std::size_t i = 0; i < pids.size() && i < 4; ++i) {
    text += (i == 0 ? " " : ", ") + std::to_string(pids[i]);
  }
  if (pids.size() > 4) text += " and " + std::to_string(pids.size() - 4) + " more";
  return text;
}

std::string state_text(const run::Report& report) {
  const std::string after = " after " + format_seconds(report.duration_s);
  switch (report.state) {
    case run::RunState::kRunning:
      return "still running; these are the figures of the first " +
             format_seconds(report.duration_s);
    case run::RunState::kFinished:
      return report.stopped_after ? "ended by --stop-after " + std::to_string(*report.stopped_after)
                                  : "";
    case run::RunState::kFailed:
      return "failed: exit code " + (report.end ? std::to_string(report.end->exit_code) : "?") +
             after;
    case run::RunState::kKilled:
      return "killed by " + (report.end ? signal_name(report.end->signal) : "a signal") + after;
    case run::RunState::kLost:
      break;
  }
  if (report.end && report.end->unseen) {
    return "lost: the program ended" + after +
           " without saying how, and flatout had not started it";
  }
  return "lost: flatout ended" + after + " without seeing how the program ended";
}

// What the reader can do about it, by what is known of the cause.
std::string next_step(const run::Report& report) {
  if (report.run.hooks_off.find("--no-hooks") != std::string::npos)
    return "run it without --no-hooks.";
  if (report.run.hooks_off.starts_with("it was imported")) {
    return "`flatout show " + report.run.id + "` has what was logged.";
  }
  if (report.run.hooks_off.starts_with("flatout run did not start it")) {
    return "start it by `flatout run -- CMD`: then its steps are seen.";
  }
  if (!report.run.hooks_off.empty()) return "`flatout doctor` says what this machine lacks.";
  if (report.overhead.events > 0) {
    return "flatout counts a step when weights are updated after a backward; let the program run "
           "long enough to reach one.";
  }
  if (report.failure) return "its own output stands above.";
  if (report.state == run::RunState::kFailed || report.state == run::RunState::kKilled) {
    return "if it should have trained, see why it ended; its own output stands above.";
  }
  const bool traced = std::ranges::any_of(
      report.devices, [](const run::DeviceReport& device) { return device.trace.has_value(); });
  if (traced) {
    return "for figures of each step, a program without PyTorch marks them through flatout.h "
           "(docs/c-programs.md).";
  }
  return "run the command that trains with PyTorch; python -I, -E or -S, sudo, ssh and docker run "
         "keep flatout's hooks out.";
}

std::string relative_paths(std::string_view text, const std::string& cwd) {
  if (cwd.size() < 2) return std::string(text);
  const std::string prefix = cwd.ends_with('/') ? cwd : cwd + "/";
  std::string out;
  std::size_t at = 0;
  for (std::size_t found = text.find(prefix); found != std::string_view::npos;
       found = text.find(prefix, found + 1)) {
    if (found < at || !path_may_start(text, found)) continue;
    out += text.substr(at, found - at);
    at = found + prefix.size();
  }
  return out.append(text.substr(at));
}

std::string headline(std::string_view finding_id) {
  if (finding_id == "no_steps") return "NO STEPS";
  std::string out;
  for (const char c : finding_id) {
    out += c == '_' ? '-' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return out;
}

std::string_view confidence_word(double confidence) {
  if (confidence >= 0.8) return "high";
  return confidence >= 0.5 ? "medium" : "low";
}

std::string share_words(const run::Report& report, const run::Finding& finding) {
  if (!finding.of_run) return " of the step";
  return report.run.trace_file.empty() ? " of the run" : " of the trace";
}

std::string_view tier_words(std::string_view tier) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kWords = {{
      {"phases", "phases"},
      {"events", "CUDA events"},
      {"kernels", "kernel trace"},
      {"nvml", "NVML"},
      {"gpm", "GPM"},
      {"amdgpu", "amdgpu"},
      {"host", "kernel counters"},
      {"loader", "loader"},
      {"facts", "settings"},
  }};
  const auto* found =
      std::ranges::find(kWords, tier, &std::pair<std::string_view, std::string_view>::first);
  return found == kWords.end() ? std::string_view() : found->second;
}

void add_verdict(const run::Report& report, Page& page) {
  const run::Verdict& verdict = report.verdict;
  const Style& style = page.style();
  const bool fine = verdict.finding == "compute_bound";
  const std::string id = verdict.finding.empty() ? "unexplained" : verdict.finding;
  std::string text = toned(fine ? Tone::kGain : Tone::kLoss, cleaned(headline(id), style) + ":");
  if (!verdict.summary.empty()) {
    text += " " + cleaned(relative_paths(verdict.summary, report.run.cwd), style);
  }
  if (report.steps && !report.failure) {
    text += " Confidence: " + std::string(confidence_word(verdict.confidence));
    const std::string_view tier = tier_words(verdict.tier);
    if (!tier.empty()) text.append(" (").append(tier).append(")");
    text += ".";
  }
  page.add({.rank = kAlways, .lines = wrap("", text, page.columns())});
}

void add_state(const run::Report& report, Page& page) {
  // The verdict says how a program ended that failed.
  std::string text = (report.failure ? "" : state_text(report)) + survivors_text(report);
  if (text.starts_with("; ")) text.erase(0, 2);
  if (!text.empty()) page.add_field(kAlways, "State", cleaned(text, page.style()));
  for (const std::string& said : {report.verdict.loaded, caution_text(report)}) {
    const std::string caution = cleaned(said, page.style());
    if (!caution.empty()) page.add_field(kAlways, "Warning", toned(Tone::kCaution, caution));
  }
}

void add_no_steps(const run::Report& report, Page& page) {
  const std::string seen = seen_text(report);
  if (!seen.empty()) page.add_field(kDevice, "Seen", seen);
  const std::string& why = report.run.hooks_off;
  if (!why.empty() && report.verdict.summary.find(why) == std::string::npos) {
    page.add_field(kFirstFix, "Why", "no hooks in the program: " + cleaned(why, page.style()));
  }
  const std::string next = next_step(report);
  if (!next.empty()) page.add_field(kNextFix, "Next", next);
}

void add_notes(const run::Report& report, Page& page) {
  constexpr std::size_t kShown = 3;
  std::size_t shown = 0;
  std::size_t left = 0;
  for (const std::string& note : report.notes) {
    if (report.verdict.summary.find(note) != std::string::npos) continue;  // said already
    if (note == report.verdict.caution || note == report.verdict.loaded) continue;
    if (shown == kShown) {
      ++left;
      continue;
    }
    page.add_field(shown++ == 0 ? kNote : kMoreNotes, "Note",
                   cleaned(relative_paths(note, report.run.cwd), page.style()));
  }
  if (left > 0) {
    page.add_field(kMoreNotes, "Note", std::to_string(left) + " more in the full report");
  }
}

}  // namespace flatout::report
