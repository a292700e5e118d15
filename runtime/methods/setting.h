#pragma once

#include <optional>
#include <string>
#include <vector>

namespace outrider::methods {

/// A setting of a method for users: this one declaration makes its flag, its key in config files
/// and its key in records.
struct Setting {
  std::string name;             // of the flag: "draft-length"; keys of records have underscores
  std::string help;             // its meaning and its default; begins in lower case
  std::string value_name = {};  // name of the value in the help: "FILE"; empty: by its type
  std::string method_help =
      {};  // what it means for this method in particular, and its default there
};

/// The name of a value that names files, or a file.
inline constexpr const char* kFileValue = "FILE";

struct WholeRange {
  int low;
  int high;
};

struct RealRange {
  double low;
  double high;
};

/// Visits every setting of a method and the variable that stores it. The variable's initial value
/// is the default; an optional one without a value, or an empty text, leaves the choice to the
/// method.
class SettingVisitor {
 public:
  virtual ~SettingVisitor() = default;

  virtual void whole(const Setting& setting, WholeRange range, int& value) = 0;
  virtual void whole(const Setting& setting, WholeRange range, std::optional<int>& value) = 0;
  virtual void real(const Setting& setting, RealRange range, std::optional<double>& value) = 0;
  virtual void flag(const Setting& setting, bool& value) = 0;
  /// @param names  the allowed values; empty: any text
  virtual void text(const Setting& setting, const std::vector<std::string>& names,
                    std::string& value) = 0;
  /// Any number of texts.
  virtual void texts(const Setting& setting, std::vector<std::string>& values) = 0;
};

}  // namespace outrider::methods
