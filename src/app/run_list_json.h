// `ls --format json`: schema "flatout.ls/1" (schema/ls.schema.json). Pure.
#pragma once

#include <string>
#include <vector>

#include "store/catalog.h"

namespace flatout::app {

std::string run_list_json(const std::vector<store::CatalogEntry>& runs);

// "finished", ...; "damaged" for a recording that cannot be read.
std::string state_of(const store::CatalogEntry& run);

}  // namespace flatout::app
