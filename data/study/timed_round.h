#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "data/journal/journal.h"
#include "data/study/decode_sums.h"
#include "runtime/base/token.h"

namespace outrider::study {

/// One text, decoded with all settings of a study in turn: what its journal keeps, so that times that are compared are of one
/// start of the command.
struct TimedRound {
  int start = 1;                  // of the command, from 1
  std::vector<DecodeSums> cells;  // [settings]
  std::vector<Token> text = {};   // the plain one, where it is needed again
};

data::Journal::Entry entry_of(const TimedRound& round);

/// The rounds that a journal has. @param cells  settings of each @throws InputError for an invalid one
std::vector<TimedRound> kept_rounds(const data::Journal& journal, std::size_t cells);
/// The number of the start that goes on after these.
int next_start(const std::vector<TimedRound>& kept);
/// A line for reports; empty for one start.
std::string starts_text(int starts);

}  // namespace outrider::study
