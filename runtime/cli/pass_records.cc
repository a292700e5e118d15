#include "runtime/cli/pass_records.h"

#include <nlohmann/json.hpp>

namespace outrider::cli {

nlohmann::ordered_json drafts_by_pass(const std::vector<decode::PassDraft>& passes) {
  auto all = nlohmann::ordered_json::array();
  for (const decode::PassDraft& pass : passes) all.push_back({pass.drafted, pass.accepted});
  return all;
}

}  // namespace outrider::cli
