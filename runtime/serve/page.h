#pragma once

#include "runtime/serve/http_message.h"

namespace outrider::serve {

/// The page at "/", page.html: one text that loads nothing from elsewhere, and may ask this server only.
HttpResponse page_response();

}  // namespace outrider::serve
