#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace outrider::serve {

/// The fields of a request's body, which are asked for by name. A field that is null counts as absent, as clients send
/// it. A value of another type or out of range is an ApiError (400) that names the field.
class RequestFields {
 public:
  /// @param object  must outlive it
  explicit RequestFields(const nlohmann::json& object) : object_(object) {}

  /// The value of a field; nullptr if it is absent.
  const nlohmann::json* find(const std::string& name);

  std::optional<std::int64_t> whole(const std::string& name, std::int64_t low, std::int64_t high);
  std::optional<double> real(const std::string& name, double low, double high);
  std::optional<bool> flag(const std::string& name);
  std::optional<std::string> text(const std::string& name);

  /// Refuses a field that would change the answer and is not supported, unless it asks for nothing.
  /// @param harmless  values that ask for nothing
  void refuse(const std::string& name, std::initializer_list<nlohmann::json> harmless = {});

  /// The fields that nobody asked for.
  std::vector<std::string> unknown() const;

  /// @throws ApiError (400): "temperature: expected a number from 0 to 100, found …"
  [[noreturn]] static void fail(const std::string& name, const std::string& expected,
                                const nlohmann::json& found);

 private:
  const nlohmann::json& object_;
  std::set<std::string> known_;
};

}  // namespace outrider::serve
