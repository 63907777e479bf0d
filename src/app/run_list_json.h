// `ls --format json`: schema "flatout.ls/1" (schema/ls.schema.json). Pure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "store/catalog.h"
#include "store/run_family.h"

namespace flatout::app {

// `kind_of` a run without parent, absent: not said.
std::string run_list_json(
    const std::vector<store::CatalogEntry>& runs,
    const std::function<store::FamilyKind(const store::CatalogEntry&)>& kind_of = {});

// "finished", ...; "damaged" for a recording that cannot be read.
std::string state_of(const store::CatalogEntry& run);

}  // namespace flatout::app
