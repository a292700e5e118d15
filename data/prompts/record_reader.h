#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/records/json_records.h"
#include "runtime/records/prompt_file.h"

namespace outrider::data {

/// The text or number under the first of the keys that is present, as an id; empty without one.
std::string id_under(const nlohmann::json& record, const std::vector<const char*>& keys,
                     const text::RecordLocation& location);

/// Collects the messages of a conversation into turns and their answers. Answers before the first
/// message of the user, and all but the first to one message, are left out.
class TurnGatherer {
 public:
  TurnGatherer(text::PromptRecord& record, const text::RecordLocation& location)
      : record_(record), location_(location) {}

  enum class Role { kSystem, kUser, kAssistant };
  void add(Role role, std::string content);
  /// @throws InputError when there is no message of the user
  void finish();

 private:
  text::PromptRecord& record_;
  const text::RecordLocation& location_;
};

/// Reads every record of a file with `read`; assigns ids and rejects files without any record.
std::vector<text::PromptRecord> gather_records(
    std::string_view text, const std::string& name,
    const std::function<text::PromptRecord(const nlohmann::json&, const text::RecordLocation&)>&
        read);

}  // namespace outrider::data
