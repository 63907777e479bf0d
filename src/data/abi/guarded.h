// What a call of flatout/data.h ends with: a status, and a reason where it failed.
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "base/result.h"
#include "flatout/data.h"

namespace flatout::data::abi {

// Of the calling thread's last call that failed: one that succeeds in between leaves it. Python's
// collector may make such a call (a batch goes back, figures are read) before the text is asked
// for.
inline thread_local std::string last_error;

inline int failed(std::string why) {
  last_error = std::move(why);
  return FLATOUT_INVALID;
}

inline int status_of(const base::Result<void>& done) {
  return done ? FLATOUT_OK : failed(done.error().message);
}

// What a call ends with whose loader another thread closed meanwhile.
inline int closed_meanwhile() {
  failed("the loader was closed while a batch was waited for; open another one");
  return FLATOUT_CLOSED;
}

// Runs `call`, which returns a status; an exception (memory that is not there) becomes a failure.
template <typename Call>
int guarded(Call&& call) {
  try {
    return std::forward<Call>(call)();
  } catch (const std::exception& error) {
    return failed(std::string("flatout.data: ") + error.what());
  }
}

}  // namespace flatout::data::abi
