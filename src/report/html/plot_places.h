// Numbers as the attributes of an SVG take them. Internal to the files of Plot. Pure.
#pragma once

#include <string>

namespace flatout::report::html {

// To a tenth of a pixel, as short as it goes.
std::string px(double value);
// Of a share from 0 to 1: "41.27%".
std::string percent(double share);
// Where `value` lies between the two: from 0 to 1; 0 where that cannot be said.
double share_of(double value, double from, double to);

}  // namespace flatout::report::html
