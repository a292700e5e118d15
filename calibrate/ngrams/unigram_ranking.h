#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/model/model.h"

namespace outrider::calibrate {

/// How likely a token is without any text, read off the embeddings alone. u are rows of the output
/// embedding, their mean is m, and C = V'V / |vocabulary| is the uncentred covariance of the input
/// embedding V. N-Grammys (Stewart et al. 2024): the distance is of section 4.1, the product of the
/// code in appendix B.1. They differ where the mean is far from the origin, as embeddings of seldom
/// tokens make it: frequent tokens then lie on the other side of the origin, so that their product
/// with the mean is the least while their distance from it is among the largest. So it is in
/// SmolLM2-135M-Instruct: of the first ten by the product, " ", " (", " and", ",", 2,032 of 80,000
/// that `calibrate ngrams` drafted were accepted; of those by the distance, " Yoga", " neurological",
/// none of 100,020.
enum class UnigramMeasure : std::uint8_t {
  kDistance,  // (u - m)' C (u - m): the closer, the likelier
  kInner,     // m' C u: the smaller, the likelier
};
std::vector<std::string> unigram_measure_names();
const char* name_of(UnigramMeasure measure);
UnigramMeasure unigram_measure_of(const std::string& name);

/// The measure of every token, [vocab].
std::vector<double> unigram_scores(const model::Model& model, UnigramMeasure measure);

/// All tokens, the likeliest first; ties: the lowest id.
std::vector<Token> rank_unigrams(const model::Model& model, UnigramMeasure measure);

}  // namespace outrider::calibrate
