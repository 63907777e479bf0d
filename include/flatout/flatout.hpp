// flatout.hpp: flatout.h for C++11 and later. Header only, and nothing in it
// throws; flatout.h says what the calls mean.
//
//     for (Batch batch; ;) {
//       if (!flatout::timed(flatout::kDataWait, [&] { return reader.next(batch); })) break;
//       {
//         flatout::Phase phase(flatout::kForward);
//         loss = model.forward(batch);
//       }
//       flatout::step_end(batch.size());
//     }
#ifndef FLATOUT_FLATOUT_HPP
#define FLATOUT_FLATOUT_HPP

#include <cstdint>
#include <exception>
#include <string>
#include <type_traits>
#include <utility>

#include "flatout/flatout.h"

namespace flatout {

constexpr int kDataWait = FLATOUT_DATA_WAIT;
constexpr int kH2d = FLATOUT_H2D;
constexpr int kForward = FLATOUT_FORWARD;
constexpr int kBackward = FLATOUT_BACKWARD;
constexpr int kOptimizer = FLATOUT_OPTIMIZER;
constexpr int kComm = FLATOUT_COMM;
constexpr int kSync = FLATOUT_SYNC;
constexpr int kCheckpoint = FLATOUT_CHECKPOINT;
constexpr int kEval = FLATOUT_EVAL;

// A phase from here to the end of the block, also when an exception leaves it.
// Belongs to the thread that made it.
class Phase {
 public:
  explicit Phase(int phase) noexcept
      : phase_(flatout_phase_begin(phase) == FLATOUT_OK ? phase : 0) {}
  ~Phase() { end(); }
  Phase(const Phase&) = delete;
  Phase& operator=(const Phase&) = delete;

  // Before the block ends; a second time does nothing.
  void end() noexcept {
    if (phase_ != 0) flatout_phase_end(phase_);
    phase_ = 0;
  }

 private:
  int phase_;
};

// What `call` returns; its time is the phase's.
template <typename Call>
auto timed(int phase, Call&& call) -> decltype(std::forward<Call>(call)()) {
  const Phase open(phase);
  return std::forward<Call>(call)();
}

inline bool active() noexcept { return flatout_active() != 0; }
inline void step_end(std::uint64_t samples = 0) noexcept { flatout_step_end(samples); }
inline void log(const char* name, double value, std::int64_t step = -1) noexcept {
  flatout_log(name, value, step);
}
inline void log(const std::string& name, double value, std::int64_t step = -1) noexcept {
  flatout_log(name.c_str(), value, step);
}
inline std::int64_t knob(const char* name, std::int64_t value, std::int64_t least,
                         std::int64_t most) noexcept {
  return flatout_knob_int(name, value, least, most);
}
inline void device(const char* name) noexcept { flatout_device(name); }

// What a Track is opened with; "" = not said.
struct TrackOptions {
  std::string project, name, id, group, job_type, notes;
  std::string tags;  // parted by commas
  bool resumed = false;
};

// A tracked run (flatout_track_*), to the end of the block: it has failed where an exception leaves
// that. Any thread; move it, but not while another thread uses it.
class Track {
 public:
  Track() noexcept : Track(TrackOptions()) {}
  explicit Track(const TrackOptions& given) noexcept {
    flatout_track_options options = {};
    options.project = given.project.c_str();
    options.name = given.name.c_str();
    options.id = given.id.c_str();
    options.group = given.group.c_str();
    options.job_type = given.job_type.c_str();
    options.notes = given.notes.c_str();
    options.tags = given.tags.c_str();
    options.resumed = given.resumed ? 1 : 0;
    track_ = flatout_track_open(&options);
    exceptions_ = exceptions();
  }
  ~Track() { finish(exceptions() > exceptions_ ? 1 : 0); }
  Track(const Track&) = delete;
  Track& operator=(const Track&) = delete;
  Track(Track&& from) noexcept : track_(from.track_), exceptions_(from.exceptions_) {
    from.track_ = 0;
  }
  Track& operator=(Track&& from) noexcept {
    if (this != &from) {
      finish();
      track_ = from.track_;
      exceptions_ = from.exceptions_;
      from.track_ = 0;
    }
    return *this;
  }

  void log(const std::string& name, double value, std::int64_t step = -1) noexcept {
    flatout_track_log(track_, name.c_str(), value, step);
  }
  void log_text(const std::string& name, const std::string& text, std::int64_t step = -1) noexcept {
    flatout_track_log_text(track_, name.c_str(), text.c_str(), step);
  }
  template <typename Number,
            typename std::enable_if<std::is_arithmetic<Number>::value, int>::type = 0>
  void config(const std::string& key, Number value) noexcept {
    flatout_track_config_number(track_, key.c_str(), static_cast<double>(value));
  }
  void config(const std::string& key, const std::string& text) noexcept {
    flatout_track_config_text(track_, key.c_str(), text.c_str());
  }
  void config(const std::string& key, const char* text) noexcept {
    flatout_track_config_text(track_, key.c_str(), text);
  }
  bool config_json(const std::string& json) noexcept {
    return flatout_track_config_json(track_, json.c_str()) != FLATOUT_INVALID;
  }
  template <typename Number,
            typename std::enable_if<std::is_arithmetic<Number>::value, int>::type = 0>
  void summary(const std::string& key, Number value) noexcept {
    flatout_track_summary_number(track_, key.c_str(), static_cast<double>(value));
  }
  void summary(const std::string& key, const std::string& text) noexcept {
    flatout_track_summary_text(track_, key.c_str(), text.c_str());
  }
  void summary(const std::string& key, const char* text) noexcept {
    flatout_track_summary_text(track_, key.c_str(), text);
  }
  bool summary_json(const std::string& json) noexcept {
    return flatout_track_summary_json(track_, json.c_str()) != FLATOUT_INVALID;
  }
  // False: there is no such file.
  bool file(const std::string& path) noexcept {
    return flatout_track_file(track_, path.c_str(), nullptr) != FLATOUT_INVALID;
  }
  bool artifact(const std::string& path, const std::string& name,
                const std::string& type = "file") noexcept {
    return flatout_track_artifact(track_, path.c_str(), name.c_str(), type.c_str()) !=
           FLATOUT_INVALID;
  }
  void alert(const std::string& title, const std::string& text = "",
             int level = FLATOUT_ALERT_INFO) noexcept {
    flatout_track_alert(track_, title.c_str(), text.c_str(), level);
  }
  // Before the block ends; a second time does nothing.
  void finish(int exit_code = 0) noexcept {
    if (track_ != 0) flatout_track_finish(track_, exit_code);
    track_ = 0;
  }

 private:
  static int exceptions() noexcept {
#if defined(__cpp_lib_uncaught_exceptions) || __cplusplus >= 201703L
    return std::uncaught_exceptions();
#else
    return std::uncaught_exception() ? 1 : 0;
#endif
  }

  int track_ = 0;
  int exceptions_ = 0;
};

}  // namespace flatout

#endif  // FLATOUT_FLATOUT_HPP
