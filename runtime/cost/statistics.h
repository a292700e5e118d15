#pragma once

#include <vector>

namespace outrider::cost {

/// Median and spread of repeated measurements.
struct Spread {
  double median = 0;
  double low = 0;   // a tenth of them lie below
  double high = 0;  // a tenth of them lie above
};

/// @param values  in any order, at least one
Spread spread_of(std::vector<double> values);

}  // namespace outrider::cost
