#include "runtime/methods/prepared_method.h"

#include <utility>

#include "runtime/methods/method.h"
#include "runtime/methods/settings.h"
#include "runtime/methods/wrap.h"

namespace outrider::methods {

PreparedMethod::PreparedMethod(Method& resolved, NewDrafter new_drafter)
    : name_(resolved.name()),
      new_drafter_(std::move(new_drafter)),
      record_(std::make_shared<nlohmann::ordered_json>(settings_record(resolved))) {}

std::unique_ptr<draft::Drafter> PreparedMethod::new_drafter(const std::vector<Token>& prediction,
                                                            int prompt) const {
  return with_prediction(new_drafter(), prediction, prompt);
}

}  // namespace outrider::methods
