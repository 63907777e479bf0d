// The tuner's side of the page by which a program is driven (wire/control_page.h): a file that is
// mapped. One thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apply/driven_program.h"
#include "base/result.h"
#include "run/plan.h"

namespace flatout::wire {
struct ControlPage;
}  // namespace flatout::wire

namespace flatout::trial {

// The file, with nothing asked. kIo.
base::Result<void> make_control_page(const std::filesystem::path& file);

class ControlPage {
 public:
  // kIo; kInvalid where it is no such page.
  static base::Result<ControlPage> open(const std::filesystem::path& file);
  ~ControlPage();
  ControlPage(ControlPage&& other) noexcept;
  ControlPage& operator=(ControlPage&&) = delete;

  // The recorder's.
  void say_run(const std::string& id);
  bool rests_for_the_recording() const;  // whose end is asked for
  bool end_is_asked() const;
  bool has_switched() const;  // to a second block: what is recorded may be of several settings
  void say_recording_ended();

  std::string run() const;  // "" = not known yet

  // False: the settings have more text than the page holds, and nothing was asked.
  bool ask(const apply::BlockSpec& spec);
  void ask_to_end();
  void ask_to_rest();
  void ask_to_let_go();
  void ask_for_the_recording();  // to be ended
  bool recording_ended() const;
  bool answered() const;
  std::uint64_t steps_closed() const;
  pid_t process() const;   // that answers; 0 = none yet
  bool has_ranks() const;  // further processes wanted to be driven
  // The last block that was asked for, once it is answered. Texts of the program are bounded.
  apply::BlockResult result() const;

 private:
  explicit ControlPage(wire::ControlPage* page) : page_(page) {}
  wire::ControlPage* page_;
};

// {"optimizer.fused": true, ...}: what the program is to set.
std::string settings_text(std::span<const run::KnobSetting> knobs);
// The program's answer says what became of each setting; empty where it is no such text.
std::vector<run::KnobOutcome> outcomes_in(const std::string& text);

// The answer's account of a run of training; empty if it has none.
apply::TrainingSeen training_in(const std::string& text);

}  // namespace flatout::trial
