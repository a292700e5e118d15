#pragma once

#include <string>

#include "calibrate/studies/ngrammys_study.h"

namespace outrider::calibrate {

/// The results of each table and the chosen ones, the curves, the uses and what is chosen of drafts, as text.
std::string found_ngrammys_text(const FoundNgrammys& found, const inference::Target& target);

/// The curves over the number of drafts and the use of each source's drafts as one SVG picture.
std::string plot_of(const NgrammysFigures& figures);

}  // namespace outrider::calibrate
