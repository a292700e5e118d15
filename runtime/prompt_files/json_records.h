#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace outrider::text {

/// The position of a record in a prompts file, for messages.
class RecordLocation {
 public:
  /// @param number  from 1, of the line or, in a list, of the record
  RecordLocation(const std::string& file, const char* unit, std::size_t number);

  std::size_t number() const { return number_; }
  /// "line 3"
  const std::string& here() const { return here_; }
  /// The id of a record without one: "demo line 3". It names the file, so that ids of several files
  /// differ, but not its folder, so that they are the same wherever the file lies.
  std::string id() const;
  /// "FILE, line 3"
  std::string text() const;
  /// @throws InputError "FILE, line 3: what"
  [[noreturn]] void fail(const std::string& what) const;

 private:
  std::string file_;
  std::string here_;
  std::size_t number_;
};

/// A record; its keys keep their order, which templates can see.
using JsonRecord = nlohmann::ordered_json;
using OnRecord = std::function<void(const JsonRecord&, const RecordLocation&)>;

/// Calls `on_record` with every line of JSON lines; empty lines are skipped.
/// @throws InputError naming file and line of what is not JSON, not UTF-8 or nested too deep
void for_each_line(std::string_view text, const std::string& file, const OnRecord& on_record);

/// Calls `on_record` as for_each_line does, or with every element if the text is one list.
void for_each_record(std::string_view text, const std::string& file, const OnRecord& on_record);

/// @throws InputError unless the record is an object
void require_object(const JsonRecord& record, const RecordLocation& location);

/// The text under `key`; empty if it is missing or null.
/// @throws InputError if it is not a string
std::string optional_text(const JsonRecord& record, const char* key,
                          const RecordLocation& location);

/// The largest size of a prompts file, in bytes.
constexpr std::size_t kMostPromptBytes = std::size_t{1} << 30;

}  // namespace outrider::text
