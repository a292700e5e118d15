#pragma once

#include <functional>
#include <memory>

#include "runtime/base/notices.h"
#include "runtime/cost/quick_costs.h"
#include "runtime/grammar/answer_format.h"
#include "runtime/grammar/grammars.h"
#include "runtime/inference/generation.h"
#include "runtime/inference/target.h"
#include "runtime/methods/method.h"
#include "runtime/methods/method_target.h"
#include "runtime/methods/prepared_method.h"

namespace outrider::session {

/// What texts are generated with, before anything is loaded.
struct SessionOptions {
  inference::TargetOptions target;
  inference::GenerationOptions generation = {};             // of texts that say nothing else
  grammar::AnswerFormat format = grammar::AnswerFormat();   // likewise
  const methods::Method& method;                            // likewise
  int sequences = 1;                                        // texts that are decoded at a time
  artifacts::Folders folders = {};                          // as for methods::MethodTarget
  std::shared_ptr<cost::QuickCosts> quick_costs = nullptr;  // likewise
  Notices notices = {};                                     // of what methods load
  /// Refuses what the target cannot do; called before the method is prepared, which may time passes.
  std::function<void(const inference::Target&)> check = {};
};

/// A target that is loaded, with a method prepared for it; further methods, settings and temperatures
/// can be prepared later and share what was loaded.
class Session {
 public:
  /// @throws InputError as Target, sampling::check, the options' check, Grammars::compile and Method::prepare
  explicit Session(const SessionOptions& options);
  // Methods that were prepared refer to the target.
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  inference::Target& target() { return target_; }
  const inference::Target& target() const { return target_; }
  const inference::GenerationOptions& generation() const { return generation_; }
  /// Makes constraints of the formats that texts have to have.
  grammar::Grammars& grammars() { return grammars_; }
  /// The options' method, at their temperature.
  const methods::PreparedMethod& method() const { return method_; }

  /// Prepares a method for texts of a temperature; may time passes of the target.
  /// @throws InputError as Method::prepare
  methods::PreparedMethod prepare(const methods::Method& method, double temperature) const;
  /// What methods are prepared for, at the options' temperature.
  const methods::MethodTarget& for_methods() const { return for_methods_; }

 private:
  inference::Target target_;
  grammar::Grammars grammars_;
  inference::GenerationOptions generation_;
  methods::MethodTarget for_methods_;
  methods::PreparedMethod method_;
};

}  // namespace outrider::session
