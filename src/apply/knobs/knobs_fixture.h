// Reports of programs, as far as the knobs read them.
#pragma once

#include "run/report.h"

namespace flatout::apply {

inline run::Report with_loader(int workers) {
  run::Report report;
  report.loader.emplace();
  report.loader->workers = workers;
  report.loader->prefetch_factor = 2;
  report.host.cpus = 4;
  return report;
}

inline run::Report with_model(bool cuda) {
  run::Report report = with_loader(0);
  report.model.emplace();
  report.model->autocast = "off";
  report.model->conv2d = true;
  report.model->compiled = false;
  report.devices.emplace_back();
  report.devices[0].kind = cuda ? "cuda" : "cpu";
  return report;
}

}  // namespace flatout::apply
