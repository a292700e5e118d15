#pragma once

#include <optional>
#include <string>
#include <vector>

namespace outrider::methods {

/// A setting of a method as users meet it: this one declaration makes its flag, its key in config files and
/// its key in records.
struct Setting {
  std::string name;             // of the flag: "draft-length"; keys of records have underscores
  std::string help;             // what it is, and what holds without it; begins small
  std::string value_name = {};  // what the help calls the value: "FILE"; empty: by its type
};

struct WholeRange {
  int low;
  int high;
};

struct RealRange {
  double low;
  double high;
};

/// Is shown every setting of a method and the variable that holds it. What a variable holds at first is the
/// default; an optional one without a value, or an empty text, leaves the choice to the method.
class SettingVisitor {
 public:
  virtual ~SettingVisitor() = default;

  virtual void whole(const Setting& setting, WholeRange range, int& value) = 0;
  virtual void whole(const Setting& setting, WholeRange range, std::optional<int>& value) = 0;
  virtual void real(const Setting& setting, RealRange range, std::optional<double>& value) = 0;
  virtual void flag(const Setting& setting, bool& value) = 0;
  /// @param names  the values there are; empty: any text
  virtual void text(const Setting& setting, const std::vector<std::string>& names,
                    std::string& value) = 0;
};

}  // namespace outrider::methods
