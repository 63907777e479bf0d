// Ends a program at the first call of CUDA or CUPTI that fails.
#pragma once

#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                        \
  do {                                                                     \
    int status_ = (int)(call);                                             \
    if (status_ != 0) {                                                    \
      fprintf(stderr, "line %d: %s gives %d\n", __LINE__, #call, status_); \
      exit(1);                                                             \
    }                                                                      \
  } while (0)
