#pragma once

#include "cudnn/api.h"

struct cudnnDropoutStruct {
  float rate = 0;
};
