#include "data/device/kernel_image.h"

namespace flatout::data::device {

const char* const kKernelImage = nullptr;

}  // namespace flatout::data::device
