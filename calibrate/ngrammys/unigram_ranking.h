#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/token.h"
#include "runtime/model/model.h"

namespace outrider::calibrate {

/// The likelihood of a token without context, estimated from the embeddings alone. u are rows of
/// the output embedding, their mean is m, and C = V'V / |vocabulary| is the uncentred covariance of
/// the input embedding V. N-Grammys (Stewart et al. 2024): section 4.1 describes the distance, the
/// code in appendix B.1 the product. They differ where the mean is far from the origin because of
/// the embeddings of rare tokens: frequent tokens are then on the other side of the origin, with
/// the smallest product but among the largest distances. In SmolLM2-135M-Instruct, of the first ten
/// by the product, " ", " (", " and", ",", 2,032 of 80,000 drafted by `calibrate ngrammys` were
/// accepted; of those by the distance, " Yoga", " neurological", none of 100,020.
enum class UnigramMeasure : std::uint8_t {
  kDistance,  // (u - m)' C (u - m): the smaller, the likelier
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
