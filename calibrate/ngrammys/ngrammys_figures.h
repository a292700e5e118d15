#pragma once

#include <string>

#include "calibrate/ngrammys/draft_curves.h"
#include "calibrate/ngrammys/draft_uses.h"
#include "runtime/hdf5/reader.h"
#include "runtime/hdf5/writer.h"

namespace outrider::calibrate {

/// The artifact's group of what `calibrate ngrammys` draws: figures 2 and 4 of N-Grammys. Nothing decodes by it.
inline constexpr const char* kNgrammysFigures = "/ngrammys_figures";

struct NgrammysFigures {
  DraftCurves curves;
  DraftUses uses;
};

void write_ngrammys_figures(const NgrammysFigures& figures, hdf5::Writer& file,
                            const std::string& group);
/// @throws InputError for an invalid group
NgrammysFigures read_ngrammys_figures(const hdf5::Reader& file, const std::string& group);

}  // namespace outrider::calibrate
