// A home that can be written, the user's own or one in its place. Main thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "app/voice.h"
#include "base/result.h"
#include "store/home.h"

namespace flatout::app {

// A folder of this user alone in $TMPDIR, else /tmp; made where it is not there yet. Absent where
// somebody else has it.
std::optional<std::filesystem::path> folder_in_place_of_home();

// open_home(option) where a file of some size can be written there; else the folder in its place,
// with a line that names it and what was wrong. The error is that of the user's own home.
base::Result<store::Home> writable_home(const std::string& option, Voice& voice);

}  // namespace flatout::app
