#include "runtime/artifacts/trials_in_group.h"

#include "runtime/artifacts/disco_group.h"
#include "runtime/artifacts/trials_group.h"

namespace outrider::artifacts {

std::optional<TrialsInGroup> trials_in(const std::string& group) {
  if (is_trials_group(group)) return TrialsInGroup{method_of_trials(group), group};
  if (is_stop_group(group)) return TrialsInGroup{"ssd", trials_of_stop(group)};
  return std::nullopt;
}

}  // namespace outrider::artifacts
