// The tuner's side of the page by which a program is driven (wire/control_page.h): a file that is
// mapped. One thread.
#pragma once

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

  void say_run(const std::string& id);
  std::string run() const;  // "" = not known yet

  // False: the settings have more text than the page holds, and nothing was asked.
  bool ask(const apply::BlockSpec& spec);
  void ask_to_end();
  bool answered() const;
  std::uint64_t steps_closed() const;
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

}  // namespace flatout::trial
