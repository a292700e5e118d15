#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace outrider::model {

/// An object of a JSON file, read by key. A null counts as absent. Absent keys give nothing; a value of
/// another type or out of range throws an InputError with file, key, what was found and what was
/// expected.
class JsonObject {
 public:
  /// @param value  must outlive this
  /// @param where  for messages: the file and the path of keys into it
  /// @throws InputError unless it is an object
  JsonObject(const nlohmann::json& value, std::string where);

  const std::string& where() const { return where_; }
  /// Whether the key exists, even with a null.
  bool has(std::string_view key) const;
  /// nullptr: absent.
  const nlohmann::json* find(std::string_view key) const;
  const nlohmann::json& required(std::string_view key) const;

  std::optional<std::int64_t> integer(std::string_view key, std::int64_t low,
                                      std::int64_t high) const;
  std::int64_t required_integer(std::string_view key, std::int64_t low, std::int64_t high) const;
  std::optional<double> number(std::string_view key, double low, double high) const;
  std::optional<bool> flag(std::string_view key) const;
  std::optional<std::string> text(std::string_view key) const;
  std::string required_text(std::string_view key) const;
  /// An integer, or a list of them.
  std::vector<std::int64_t> integers(std::string_view key, std::int64_t low,
                                     std::int64_t high) const;
  /// A list of numbers.
  std::vector<float> numbers(std::string_view key, double low, double high) const;
  std::optional<JsonObject> object(std::string_view key) const;

  /// @throws InputError naming the first key that is not among `known` and `more`
  void refuse_others(std::span<const std::string_view> known,
                     std::span<const std::string_view> more = {}) const;
  /// Throws "WHERE: 'key' is `found` (expected `expected`)".
  [[noreturn]] void fail(std::string_view key, const std::string& found,
                         const std::string& expected) const;

 private:
  const nlohmann::json* value_;
  std::string where_;
};

}  // namespace outrider::model
