#pragma once

#include <string>
#include <vector>

#include "runtime/methods/method.h"

namespace outrider::test {

/// Has a method verify its drafts by rejection: --verify rejection. @return whether it has that setting
inline bool verify_by_rejection(methods::Method& method) {
  class Setter : public methods::SettingVisitor {
   public:
    using Setting = methods::Setting;

    void whole(const Setting&, methods::WholeRange, int&) override {}
    void whole(const Setting&, methods::WholeRange, std::optional<int>&) override {}
    void real(const Setting&, methods::RealRange, std::optional<double>&) override {}
    void flag(const Setting&, bool&) override {}
    void texts(const Setting&, std::vector<std::string>&) override {}
    void text(const Setting& setting, const std::vector<std::string>&,
              std::string& value) override {
      if (setting.name != "verify") return;
      value = "rejection";
      found = true;
    }

    bool found = false;
  };
  Setter setter;
  method.visit(setter);
  return setter.found;
}

}  // namespace outrider::test
