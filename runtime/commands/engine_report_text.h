#pragma once

#include <cstdint>
#include <string>

#include "runtime/cost/engine_report.h"

namespace outrider {

/// What was measured.
struct EngineReportHead {
  std::string model;
  std::string machine;
  std::string numerics;
  std::string isa;
  std::int64_t weight_bytes;
  bool interrupted;  // after fewer rounds than asked for
};

/// Tables for a person.
std::string report_text(const EngineReportHead& head, const cost::EngineReport& report);

/// The same and more for machines; seconds and bytes.
std::string report_json(const EngineReportHead& head, const cost::EngineReport& report);

}  // namespace outrider
