#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/draft/drafter.h"

namespace outrider::methods {

class Method;

/// A method with all that it needs loaded. Copies share what was loaded.
class PreparedMethod {
 public:
  using NewDrafter = std::function<std::unique_ptr<draft::Drafter>()>;

  /// @param resolved     the method, every setting as it is used
  /// @param new_drafter  makes a drafter for one sequence; empty: plain decoding
  PreparedMethod(Method& resolved, NewDrafter new_drafter);

  const std::string& name() const { return name_; }
  /// The settings as used, by the keys of records: enough to do the same again.
  const nlohmann::ordered_json& record() const { return *record_; }

  /// A drafter for one sequence; nullptr for plain decoding.
  std::unique_ptr<draft::Drafter> new_drafter() const {
    return new_drafter_ ? new_drafter_() : nullptr;
  }
  /// The same for a text that is expected to repeat a prediction, which is copied from before anything else is drafted:
  /// see draft::PredictedText. With plain decoding too.
  /// @param prompt  tokens of the text before the answer
  /// @throws InputError where the method's drafts are verified by rejection
  std::unique_ptr<draft::Drafter> new_drafter(const std::vector<Token>& prediction,
                                              int prompt) const;

 private:
  std::string name_;
  NewDrafter new_drafter_;
  std::shared_ptr<const nlohmann::ordered_json> record_;
};

}  // namespace outrider::methods
