#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/records/json_records.h"
#include "runtime/records/prompt_file.h"

namespace outrider::data {

/// The text or number under one of the keys, the first that is there, as an id; empty without.
std::string id_under(const nlohmann::json& record, const std::vector<const char*>& keys,
                     const text::RecordPlace& place);

/// Gathers the messages of a conversation into turns and the answers given to them. Answers before
/// the first message of the user, and all but the first to one message, are left out.
class TurnGatherer {
 public:
  TurnGatherer(text::PromptRecord& record, const text::RecordPlace& place)
      : record_(record), place_(place) {}

  enum class Role { kSystem, kUser, kAssistant };
  void add(Role role, std::string content);
  /// @throws InputError when the user has said nothing
  void finish();

 private:
  text::PromptRecord& record_;
  const text::RecordPlace& place_;
};

/// Reads every record of a file with `read`, and sees to ids and to files without any record.
std::vector<text::PromptRecord> gather_records(
    std::string_view text, const std::string& name,
    const std::function<text::PromptRecord(const nlohmann::json&, const text::RecordPlace&)>& read);

}  // namespace outrider::data
