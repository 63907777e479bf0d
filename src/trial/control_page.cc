#include "trial/control_page.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/file.h"
#include "wire/control_page.h"

namespace flatout::trial {
namespace {

using base::Result;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostReasonBytes = 2000;
constexpr std::string_view kTraining = "training";  // beside the knobs in an answer

Result<wire::ControlPage*> mapped(const std::filesystem::path& file, int flags) {
  const base::UniqueFd fd(::open(file.c_str(), flags | O_RDWR | O_CLOEXEC, 0600));
  if (!fd) return base::fail_errno(errno, file.string());
  const bool makes = (flags & O_CREAT) != 0;
  // With its blocks: a write to a page that a full disk cannot hold would end whoever made it.
  const int error = makes ? ::posix_fallocate(fd.get(), 0, sizeof(wire::ControlPage)) : 0;
  if (error != 0) return base::fail_errno(error, file.string());
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return base::fail_errno(errno, file.string());
  if (status.st_size < static_cast<off_t>(sizeof(wire::ControlPage))) {
    return base::fail(base::ErrorCode::kInvalid, file.string() + " is no control page");
  }
  void* const memory =
      ::mmap(nullptr, sizeof(wire::ControlPage), PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
  if (memory == MAP_FAILED) return base::fail_errno(errno, file.string());
  return static_cast<wire::ControlPage*>(memory);
}

apply::BlockOutcome outcome_of(wire::BlockEnd end) {
  switch (end) {
    case wire::BlockEnd::kMeasured:
      return apply::BlockOutcome::kMeasured;
    case wire::BlockEnd::kDisturbed:
      return apply::BlockOutcome::kDisturbed;
    case wire::BlockEnd::kFailed:
      break;
  }
  return apply::BlockOutcome::kNotSwitched;
}

std::uint32_t bits_of(apply::TrainingRun run) {
  switch (run) {
    case apply::TrainingRun::kNone:
      break;
    case apply::TrainingRun::kFreshBatches:
      return wire::kFromState;
    case apply::TrainingRun::kSameBatches:
      return wire::kFromState | wire::kSameBatches;
  }
  return 0;
}

// NaN where it is no number.
double number_of(const Json& value) {
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

std::string text_of(const Json& facts, const char* key) {
  const auto found = facts.find(key);
  if (found == facts.end() || found->is_null()) return "";
  return found->is_string() && std::string_view(key) == "reason"
             ? found->get<std::string>().substr(0, kMostReasonBytes)
             : found->dump();
}

}  // namespace

Result<void> make_control_page(const std::filesystem::path& file) {
  const auto page = mapped(file, O_CREAT | O_EXCL);
  if (!page) return std::unexpected(page.error());
  (*page)->version = wire::kControlVersion;
  (*page)->bytes = sizeof(wire::ControlPage);
  (*page)->magic = wire::kControlMagic;
  ::munmap(*page, sizeof(wire::ControlPage));
  return {};
}

Result<ControlPage> ControlPage::open(const std::filesystem::path& file) {
  const auto page = mapped(file, 0);
  if (!page) return std::unexpected(page.error());
  ControlPage out(*page);
  if ((*page)->magic == wire::kControlMagic && (*page)->version == wire::kControlVersion) {
    return out;
  }
  return base::fail(base::ErrorCode::kInvalid, file.string() + " is no control page");
}

ControlPage::~ControlPage() {
  if (page_ != nullptr) ::munmap(page_, sizeof(wire::ControlPage));
}

ControlPage::ControlPage(ControlPage&& other) noexcept
    : page_(std::exchange(other.page_, nullptr)) {}

void ControlPage::say_run(const std::string& id) {
  const std::size_t bytes = std::min(id.size(), sizeof page_->run - 1);
  std::memcpy(page_->run, id.data(), bytes);
}

std::string ControlPage::run() const {
  return std::string(page_->run, ::strnlen(page_->run, sizeof page_->run));
}

bool ControlPage::ask(const apply::BlockSpec& spec) {
  const std::string text = settings_text(spec.knobs);
  if (text.size() > wire::kMaxControlText) return false;
  page_->request = wire::ControlRequest::kBlock;
  page_->settle_steps = spec.settle_steps;
  page_->block_steps = std::max<std::uint64_t>(1, spec.steps);
  page_->least_ns = spec.least_ns;
  page_->with_epochs = spec.with_epochs ? 1 : 0;
  page_->training = bits_of(spec.training) | (spec.stays ? wire::kStays : 0U);
  page_->text_bytes = static_cast<std::uint32_t>(text.size());
  std::memcpy(page_->text, text.data(), text.size());
  page_->asked.fetch_add(1, std::memory_order_release);
  return true;
}

void ControlPage::ask_to_end() {
  page_->request = wire::ControlRequest::kEnd;
  page_->asked.fetch_add(1, std::memory_order_release);
}

void ControlPage::ask_to_rest() {
  page_->request = wire::ControlRequest::kRest;
  page_->asked.fetch_add(1, std::memory_order_release);
}

void ControlPage::ask_to_let_go() {
  page_->request = wire::ControlRequest::kLetGo;
  page_->asked.fetch_add(1, std::memory_order_release);
}

void ControlPage::ask_for_the_recording() {
  page_->recording.store(wire::RecordingState::kEndAsked, std::memory_order_release);
}

bool ControlPage::rests_for_the_recording() const {
  return page_->recording.load(std::memory_order_acquire) == wire::RecordingState::kEndAsked &&
         answered();
}

bool ControlPage::end_is_asked() const {
  return page_->asked.load(std::memory_order_acquire) > 0 &&
         page_->request == wire::ControlRequest::kEnd;
}

bool ControlPage::has_switched() const {
  const std::uint32_t asked = page_->asked.load(std::memory_order_acquire);
  const bool last_is_block = page_->request == wire::ControlRequest::kBlock;
  return asked > (last_is_block ? 1U : 2U);
}

pid_t ControlPage::process() const { return page_->pid.load(std::memory_order_relaxed); }

void ControlPage::say_recording_ended() {
  page_->recording.store(wire::RecordingState::kEnded, std::memory_order_release);
}

bool ControlPage::recording_ended() const {
  return page_->recording.load(std::memory_order_acquire) == wire::RecordingState::kEnded;
}

bool ControlPage::answered() const {
  return page_->answered.load(std::memory_order_acquire) ==
         page_->asked.load(std::memory_order_relaxed);
}

std::uint64_t ControlPage::steps_closed() const {
  return page_->steps_closed.load(std::memory_order_relaxed);
}

bool ControlPage::has_ranks() const { return page_->others.load(std::memory_order_relaxed) != 0; }

apply::BlockResult ControlPage::result() const {
  apply::BlockResult out;
  out.outcome = outcome_of(page_->end);
  out.steps = page_->steps;
  out.block_ns = page_->block_ns;
  out.switch_ns = page_->switch_ns;
  out.settle_ns = page_->settle_ns;
  const std::string text(page_->answer, std::min(page_->answer_bytes, wire::kMaxControlText));
  if (out.outcome == apply::BlockOutcome::kNotSwitched) {
    out.why = text;
  } else {
    out.outcomes = outcomes_in(text);
    out.training = training_in(text);
  }
  if (out.outcome == apply::BlockOutcome::kMeasured && (out.steps == 0 || out.block_ns <= 0)) {
    out.outcome = apply::BlockOutcome::kDisturbed;
  }
  return out;
}

std::string settings_text(std::span<const run::KnobSetting> knobs) {
  Json out = Json::object();
  for (const auto& setting : knobs) {
    out[setting.knob] = Json::parse(setting.value, nullptr, /*allow_exceptions=*/false);
  }
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

apply::TrainingSeen training_in(const std::string& text) {
  apply::TrainingSeen out;
  const Json all = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto said = all.is_object() ? all.find(kTraining) : all.end();
  if (!all.is_object() || said == all.end() || !said->is_object()) return out;
  if (const auto losses = said->find("losses"); losses != said->end() && losses->is_array()) {
    for (const Json& loss : *losses) out.losses.push_back(number_of(loss));
  }
  const auto moved = said->find("moved");
  if (moved == said->end() || !moved->is_object() || moved->empty()) return out;
  const auto one = [&](const char* key) {
    const auto found = moved->find(key);
    return found == moved->end() ? std::numeric_limits<double>::quiet_NaN() : number_of(*found);
  };
  out.moved = apply::Movement{
      .cosine = one("cosine"), .ratio = one("ratio"), .least = one("least"), .most = one("most")};
  return out;
}

std::vector<run::KnobOutcome> outcomes_in(const std::string& text) {
  std::vector<run::KnobOutcome> out;
  const Json all = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!all.is_object()) return out;
  for (const auto& [knob, facts] : all.items()) {
    if (!facts.is_object() || knob == kTraining) continue;
    run::KnobOutcome outcome;
    outcome.asked = {.knob = knob, .value = text_of(facts, "value"), .pattern = {}};
    outcome.from = text_of(facts, "from");
    const auto applied = facts.find("applied");
    outcome.applied = applied != facts.end() && applied->is_boolean() && applied->get<bool>();
    outcome.reason = text_of(facts, "reason");
    out.push_back(std::move(outcome));
  }
  return out;
}

}  // namespace flatout::trial
