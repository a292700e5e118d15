#pragma once

#include <cstdint>
#include <string>

#include "runtime/cost/engine_report.h"

namespace outrider {

/// Description of the measurement.
struct EngineReportHead {
  std::string model;
  engine::Place place;
  std::string numerics;
  std::int64_t weight_bytes;
  bool interrupted;  // after fewer rounds than requested
};

/// The report as text tables.
std::string report_text(const EngineReportHead& head, const cost::EngineReport& report);

/// The report as JSON, in seconds and bytes.
std::string report_json(const EngineReportHead& head, const cost::EngineReport& report);

}  // namespace outrider
