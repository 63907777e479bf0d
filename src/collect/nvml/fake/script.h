// The script of the fake driver, a text file named by FAKE_NVML_SCRIPT; `#`
// starts a comment. Times are seconds since the library was initialised.
//
//   driver VERSION
//   device NAME                       the lines below are of it, to the next device
//     uuid GPU-... | bus 00000000:65:00.0
//     mig UUID NAME                   MIG is on, with this instance
//     set FIELD VALUE [FROM]          as of FROM (0)
//     square FIELD PERIOD DUTY HIGH LOW   HIGH for DUTY of each PERIOD
//     process PID|match:TEXT BYTES PERCENT   match: any process, but the library's
//                                     own, whose command line contains TEXT
//     xid NUMBER AT
//     lost AT                         every call gives "GPU is lost"
//     fail CALL CODE [FROM [TO]]      also outside a device: for all
//     hang CALL FROM [TO]             does not return until TO, or ever
//
// Fields: the names in kDefaults of script.cc. One that is set to "none" is not
// supported. Counters (throttle_*_share, nvlink_*_kib_s) are integrals.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fake_nvml {

constexpr double kEver = std::numeric_limits<double>::infinity();

// A value over time.
struct Signal {
  struct Piece {
    double from = 0;
    std::optional<double> value;  // empty = not supported
    double period = 0;            // 0 = constant
    double duty = 0;
    double low = 0;
    double at(double t) const;
    double integral(double from_t, double to_t) const;
  };
  std::vector<Piece> pieces;
  std::optional<double> at(double t) const;
  double integral(double t) const;  // from 0
};

struct Trouble {
  std::string call;
  int code = 0;  // of a failure
  double from = 0;
  double to = kEver;
};

struct Process {
  int pid = 0;        // or
  std::string match;  // part of a command line
  double bytes = 0;
  double percent = 0;
};

struct Instance {
  std::string name;
  std::string uuid;
};

struct Xid {
  unsigned long long number = 0;
  double at = 0;
};

struct Device {
  std::string name;
  std::string uuid;
  std::string bus;
  std::map<std::string, Signal> fields;
  std::vector<Instance> instances;
  std::vector<Process> processes;
  std::vector<Xid> xids;
  std::vector<Trouble> failures;
  std::vector<Trouble> hangs;
  double lost_at = kEver;

  std::optional<double> value(const std::string& field, double t) const;
};

struct Script {
  std::string driver = "550.54.15";
  std::vector<Device> devices;
  std::vector<Trouble> failures;
  std::vector<Trouble> hangs;
};

// Prints to stderr and ends the process on a line that it does not know: a typing
// error must not look like a passing test.
Script read_script(const char* file);

}  // namespace fake_nvml
