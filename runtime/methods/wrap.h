#pragma once

#include <memory>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/methods/drafting_method.h"
#include "runtime/methods/method_target.h"
#include "runtime/methods/prepared_method.h"

namespace outrider::methods {

/// Drafters of a method with all that the settings put around them, from the inside to the outside:
///
///     the method's own drafter
///     draft::WithReference  copies from a user's own texts too, where the method's own drafts are copies
///     draft::WithSources    is verified in one tree with the drafts of other methods; which of all their nodes is decided
///                           by how often such were accepted, where `calibrate replay --acceptance` has counted that
///     draft::Guarded        pauses where the drafts cost more than they save, as far as this machine's costs are known
///     draft::CopyFirst      copies of draft::PldPlusH, where the artifacts have lengths for each step, else of draft::Pld,
///                           from a user's own texts too
///
/// PreparedMethod::new_drafter puts a prediction before all of these.
/// @param own       of `prepare_own`
/// @param of_own    what these can
/// @param settings  those without a value get the one that is used
/// @throws InputError for --copy-min-speed-up alone, --reference without a drafter that copies, other methods than
///                    sources, and both these and copies with drafts that are verified by rejection
PreparedMethod::NewDrafter wrap(const MethodTarget& target, const OwnDrafters& own,
                                const Capabilities& of_own, WrapSettings& settings);

/// The outermost: copies from what the answer is expected to be, see draft::PredictedText.
/// @param drafter  nullptr: nothing else drafts
/// @param prompt   tokens of the text before the answer
/// @throws InputError for a drafter whose drafts are verified by rejection
std::unique_ptr<draft::Drafter> with_prediction(std::unique_ptr<draft::Drafter> drafter,
                                                const std::vector<Token>& prediction, int prompt);

}  // namespace outrider::methods
