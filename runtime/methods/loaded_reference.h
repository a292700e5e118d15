#pragma once

#include <string>
#include <vector>

#include "runtime/draft/copy/with_reference.h"
#include "runtime/methods/method_target.h"
#include "runtime/methods/prepared_method.h"

namespace outrider::methods {

/// Drafters that copy from the user's own texts too, draft::WithReference, if the setting --reference names any. The
/// files are read and indexed once for a target.
/// @param files    the setting
/// @param copiers  drafters that copy from the text
/// @throws InputError as text::read_text_files
PreparedMethod::NewDrafter with_reference(const MethodTarget& target,
                                          const std::vector<std::string>& files,
                                          PreparedMethod::NewDrafter copiers,
                                          const draft::WithReferenceOptions& options = {});

}  // namespace outrider::methods
