#pragma once

#include <string>

#include "data/store/store_identity.h"
#include "runtime/chat/chat.h"

namespace outrider::data {

/// The chat format and its arguments that traces were made with.
text::ChatOptions recorded_chat(const StoreIdentity& identity);

}  // namespace outrider::data
