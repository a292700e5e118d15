#pragma once

#include <string>

#include "runtime/methods/method_target.h"
#include "runtime/methods/prepared_method.h"
#include "runtime/methods/setting.h"

namespace outrider::methods {

/// A way to draft, with its settings: what `--method` names. Any number of them can be configured side by
/// side. README.md in this folder says how to add one.
class Method {
 public:
  virtual ~Method() = default;

  /// As `--method` takes it.
  virtual std::string name() const = 0;
  /// What it drafts, in half a sentence for the help.
  virtual std::string summary() const = 0;
  virtual Capabilities capabilities() const { return {}; }

  /// Shows all its settings, in the order of the help.
  virtual void visit(SettingVisitor& /*visitor*/) {}

  /// Completes the settings from what was calibrated for the target, checks them, and loads tables and
  /// weights: all that several drafters share.
  /// @throws InputError naming the flag or the file
  virtual PreparedMethod prepare(const MethodTarget& target) const = 0;
};

}  // namespace outrider::methods
