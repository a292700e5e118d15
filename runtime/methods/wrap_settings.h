#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/methods/setting.h"

namespace outrider::methods {

/// draft::CopyFirst.
struct CopyFirstSettings {
  bool on = false;
  std::optional<double> least_speed_up;  // of copies; nothing: that of the method's own drafts
};

/// What `wrap` puts around the drafters of a method. Every method that drafts has these settings.
struct WrapSettings {
  std::vector<std::string> sources;  // methods whose drafts are verified in the same tree
  CopyFirstSettings copy_first;
  std::vector<std::string> reference;  // files and folders to copy from too
  std::string guard;                   // "on" or "off"; empty: "off"
};

/// All of them.
void visit_wrap(SettingVisitor& visitor, WrapSettings& settings);
/// --reference
void visit_reference(SettingVisitor& visitor, std::vector<std::string>& files);
/// --guard: "on" or "off"; empty: by the method. @param method_help  as of visit_draft_length
void visit_guard(SettingVisitor& visitor, std::string& value, const std::string& method_help = {});

}  // namespace outrider::methods
