// Where the fields that we read lie in CUPTI's activity records. From CUPTI 12.0 to 13.5 NVIDIA has
// only appended to them (CUpti_ActivityKernel9 to 13, Memcpy5 to 7, MemcpyPtoP4, Memset4 and 5,
// API, Overhead to 3), so that one table serves all; how long a record is, CUPTI itself says, by
// where the next one begins. Checked against NVIDIA's headers: README.md.
#pragma once

#include <cstddef>

namespace flatout::inject::cupti {

struct KernelLayout {
  static constexpr std::size_t kStart = 16, kEnd = 24, kDevice = 40, kContext = 44, kStream = 48,
                               kCorrelation = 92, kName = 104, kGraphNode = 144, kGraph = 156,
                               kLeastBytes = 160;
};

// Also of copies between devices, but for their last two fields.
struct CopyLayout {
  static constexpr std::size_t kCopyKind = 4, kFrom = 5, kTo = 6, kBytes = 8, kStart = 16,
                               kEnd = 24, kDevice = 32, kContext = 36, kStream = 40,
                               kCorrelation = 44, kGraphNode = 64, kGraph = 72, kLeastBytes = 76;
};

struct PeerCopyLayout {
  static constexpr std::size_t kCorrelation = 60, kGraphNode = 72, kGraph = 80, kLeastBytes = 84;
};

struct SetLayout {
  static constexpr std::size_t kBytes = 8, kStart = 16, kEnd = 24, kDevice = 32, kContext = 36,
                               kStream = 40, kCorrelation = 44, kGraphNode = 64, kGraph = 72,
                               kLeastBytes = 76;
};

struct CallLayout {
  static constexpr std::size_t kFunction = 4, kStart = 8, kEnd = 16, kThread = 28,
                               kCorrelation = 32, kLeastBytes = 40;
};

// kObject: the kind of what it happened to; kThread: of a thread.
struct OverheadLayout {
  static constexpr std::size_t kWhat = 4, kObject = 8, kThread = 16, kStart = 24, kEnd = 32,
                               kLeastBytes = 40;
};

}  // namespace flatout::inject::cupti
