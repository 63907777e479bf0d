// The caller's errno, back at the end of the call.
#pragma once

#include <cerrno>

namespace flatout::capi {

class KeepErrno {
 public:
  KeepErrno() : kept_(errno) {}
  ~KeepErrno() { errno = kept_; }
  KeepErrno(const KeepErrno&) = delete;
  KeepErrno& operator=(const KeepErrno&) = delete;

 private:
  int kept_;
};

}  // namespace flatout::capi
