// Every name of the library is defined under the symbol that it has, old versions under their own.
#pragma once

#define NVML_NO_UNVERSIONED_FUNC_DEFS
#include <nvml.h>
