#include "runtime/draft/gsd/gram_index.h"

#include <algorithm>

namespace outrider::draft {

void GramIndex::clear() {
  for (const Entry& entry : entries_) slots_[entry.slot] = kNone;
  entries_.clear();
}

void GramIndex::grow() {
  slots_.assign(std::max<std::size_t>(64, 2 * slots_.size()), kNone);
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    std::size_t slot = entries_[i].hash & (slots_.size() - 1);
    for (; slots_[slot] != kNone; slot = (slot + 1) & (slots_.size() - 1)) ++probes_;
    ++probes_;
    slots_[slot] = static_cast<int>(i);
    entries_[i].slot = slot;
  }
}

}  // namespace outrider::draft
