#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/methods/method.h"

namespace outrider::methods {

struct AutoSettings {
  std::optional<int> draft_length;     // nothing: as the method chosen has it
  std::vector<std::string> reference;  // files and folders to copy from too
  std::string guard;                   // empty: "on"
  std::string artifacts;
};

/// The method that is fastest by calibration's acceptance at the target's temperature and the costs of this
/// machine: the draft model or the parallel drafter, copying first, where it is faster than plain decoding; or prompt lookup with
/// short drafts where nothing was calibrated. N-Grammys is left out: it loses in too many texts.
class Auto : public Method {
 public:
  std::string name() const override { return "auto"; }
  std::string summary() const override;
  Capabilities capabilities() const override { return {.copies = true}; }
  void visit(SettingVisitor& visitor) override;
  void copy_whole() override;
  PreparedMethod prepare(const MethodTarget& target) const override;

  AutoSettings settings;
};

}  // namespace outrider::methods
