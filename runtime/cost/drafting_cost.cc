#include "runtime/cost/drafting_cost.h"

#include <algorithm>

namespace outrider::cost {

double DraftingCost::share_of(int num_rows) const {
  if (rows.empty()) return 0;
  const auto at = std::lower_bound(rows.begin(), rows.end() - 1, num_rows);
  return shares[static_cast<std::size_t>(at - rows.begin())];
}

}  // namespace outrider::cost
