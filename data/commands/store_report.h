#pragma once

#include <string>

#include "data/store/store_summary.h"

namespace outrider::data {

/// A summary for people.
std::string text_of(const TraceStore& store, const StoreSummary& summary);

/// The summary as one JSON object, with a line feed.
std::string json_of(const TraceStore& store, const StoreSummary& summary);

}  // namespace outrider::data
