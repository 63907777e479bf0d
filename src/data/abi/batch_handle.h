// What a batch's handle of flatout/data.h stands for.
#pragma once

#include "data/open/ready_batch.h"

struct flatout_batch {
  flatout::data::ReadyBatch ready;
};
