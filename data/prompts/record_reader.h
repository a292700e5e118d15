#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/prompt_files/json_records.h"
#include "runtime/prompt_files/prompt_file.h"

namespace outrider::data {

/// The text or number under the first of the keys that is present, as an id; empty without one.
std::string id_under(const text::JsonRecord& record, const std::vector<const char*>& keys,
                     const text::RecordLocation& location);

/// Reads every record of a file with `read`; assigns ids and rejects files without any record.
std::vector<text::PromptRecord> gather_records(
    std::string_view text, const std::string& name,
    const std::function<text::PromptRecord(const text::JsonRecord&, const text::RecordLocation&)>&
        read);

}  // namespace outrider::data
