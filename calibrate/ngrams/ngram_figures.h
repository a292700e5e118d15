#pragma once

#include <string>

#include "calibrate/ngrams/draft_curves.h"
#include "calibrate/ngrams/draft_uses.h"
#include "runtime/hdf5/reader.h"
#include "runtime/hdf5/writer.h"

namespace outrider::calibrate {

/// The artifact's group of what `calibrate ngrams` draws: figures 2 and 4 of N-Grammys. Nothing decodes by it.
inline constexpr const char* kNgrammysFigures = "/ngrammys_figures";

struct NgramFigures {
  DraftCurves curves;
  DraftUses uses;
};

void write_ngram_figures(const NgramFigures& figures, hdf5::Writer& file, const std::string& group);
/// @throws InputError for an invalid group
NgramFigures read_ngram_figures(const hdf5::Reader& file, const std::string& group);

}  // namespace outrider::calibrate
