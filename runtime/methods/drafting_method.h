#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "runtime/draft/copy/with_reference.h"
#include "runtime/methods/method.h"
#include "runtime/methods/prepared_method.h"
#include "runtime/methods/wrap_settings.h"

namespace outrider::methods {

class DraftingMethod;

/// A method with its own settings as they are used and its own drafters, and what is known of these.
struct OwnDrafters {
  std::unique_ptr<DraftingMethod> resolved;
  PreparedMethod::NewDrafter new_drafter;
  std::string artifacts = {};           // the setting as given; empty: searched for
  std::optional<double> speed_up = {};  // of their drafts over plain decoding, as far as known
  double step_share = 0;                // of draft::DraftPrices, likewise
  draft::WithReferenceOptions reference = {};  // how those that copy copy from a user's own texts
  int most_nodes = std::numeric_limits<int>::max();  // of a tree, together with those of sources
};

/// A method with drafters of its own. It says what these are; everything that any drafter can have, such as copies before
/// its drafts or a pause where they lose, is put around them here, and so are the settings of that.
class DraftingMethod : public Method {
 public:
  Capabilities capabilities() const final;
  void visit(SettingVisitor& visitor) final;
  PreparedMethod prepare(const MethodTarget& target) const final;

  WrapSettings around;

 protected:
  virtual Capabilities own_capabilities() const { return {}; }
  /// Visits its own settings but --artifacts, in the order of the help.
  virtual void visit_own(SettingVisitor& /*visitor*/) {}
  /// Its setting --artifacts, which is the last one; nullptr: it has none.
  virtual std::string* artifacts() { return nullptr; }
  /// `prepare`, of its own settings and drafters alone.
  virtual OwnDrafters prepare_own(const MethodTarget& target) const = 0;
};

/// One that reads artifacts. @tparam Settings  its own, with `artifacts`: the file, or nothing where it is searched for
template <typename Settings>
class CalibratedMethod : public DraftingMethod {
 public:
  Settings settings;

 protected:
  std::string* artifacts() override { return &settings.artifacts; }
};

}  // namespace outrider::methods
