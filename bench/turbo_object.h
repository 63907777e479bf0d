// What benchmarks of decoding hold libjpeg-turbo by: one object a thread, as a loader would have
// it. An error in a file ends the program.
#pragma once

#include <cstdio>
#include <vector>

// After <cstdio>, which it needs and does not include.
#include <jpeglib.h>

namespace flatout::data {

class TurboObject {
 protected:
  TurboObject() {
    jpeg_.err = jpeg_std_error(&errors_);
    jpeg_create_decompress(&jpeg_);
  }
  ~TurboObject() { jpeg_destroy_decompress(&jpeg_); }
  TurboObject(const TurboObject&) = delete;
  TurboObject& operator=(const TurboObject&) = delete;

  jpeg_decompress_struct jpeg_ = {};
  std::vector<JSAMPLE> pixels_;

 private:
  jpeg_error_mgr errors_ = {};
};

}  // namespace flatout::data
