#include "tests/decode/plain_parallelspec.h"

#include <cmath>

namespace outrider::test {
namespace {

using Numbers = std::vector<double>;
using draft::ParallelSpecModel;

Numbers row_of(const model::Weight& weight, std::int64_t r) {
  std::vector<float> floats(static_cast<std::size_t>(weight.columns));
  weight.read_row(r, floats.data());
  return {floats.begin(), floats.end()};
}

Numbers product(const model::Weight& weight, const Numbers& x) {
  Numbers out;
  for (std::int64_t r = 0; r < weight.rows; ++r) {
    const Numbers row = row_of(weight, r);
    double sum = 0;
    for (std::size_t i = 0; i < row.size(); ++i) sum += row[i] * x[i];
    out.push_back(sum);
  }
  return out;
}

Numbers normed(const Numbers& x, const model::Weight& weight, double epsilon) {
  if (weight.rows == 0) return x;
  double squares = 0;
  for (const double number : x) squares += number * number;
  const double scale = 1 / std::sqrt(squares / static_cast<double>(x.size()) + epsilon);
  const Numbers weights = row_of(weight, 0);
  Numbers out;
  for (std::size_t i = 0; i < x.size(); ++i) out.push_back(x[i] * scale * weights[i]);
  return out;
}

void add(Numbers& to, const Numbers& what) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += what[i];
}

/// Half-split rotation of every head.
void rotate(Numbers& heads, const model::ModelConfig& config, int position) {
  const auto width = static_cast<std::size_t>(config.head_width), half = width / 2;
  for (std::size_t head = 0; head < heads.size(); head += width) {
    for (std::size_t i = 0; i < half; ++i) {
      const double angle = position * std::pow(double{config.rope_base},
                                               -static_cast<double>(i) / static_cast<double>(half));
      const double a = heads[head + i], b = heads[head + half + i];
      heads[head + i] = a * std::cos(angle) - b * std::sin(angle);
      heads[head + half + i] = a * std::sin(angle) + b * std::cos(angle);
    }
  }
}

/// A row of the drafter: what it is given and where it is.
struct Input {
  Numbers numbers;
  int position;
};

Numbers joined(const Numbers& one, const Numbers& other) {
  Numbers all = one;
  all.insert(all.end(), other.begin(), other.end());
  return all;
}

std::vector<Input> inputs_of(const ParallelSpecModel& model, std::span<const Token> text,
                             const std::vector<std::vector<float>>& states) {
  const bool eagle = ParallelSpecModel::reads_pairs(model.flavour);
  const auto embedding = [&](std::size_t j) { return row_of(model.layer.embedding, text[j]); };
  const auto state = [&](std::size_t j) { return Numbers(states[j].begin(), states[j].end()); };
  std::vector<Input> inputs;
  if (eagle) {
    for (std::size_t j = 1; j < text.size(); ++j)
      inputs.push_back({joined(state(j - 1), embedding(j)), static_cast<int>(j)});
  } else if (model.token_inputs) {
    for (std::size_t j = 0; j < text.size(); ++j)
      inputs.push_back({embedding(j), static_cast<int>(j)});
  } else {
    for (std::size_t j = 0; j + 1 < text.size(); ++j)
      inputs.push_back({state(j), static_cast<int>(j)});
  }
  const auto width = static_cast<std::size_t>(model.layer.config.width);
  const auto mask = [&](const std::vector<float>& all, std::size_t i) {
    return Numbers(all.data() + i * width, all.data() + (i + 1) * width);
  };
  for (int i = 0; i < model.masks(); ++i) {
    const Numbers token = mask(model.mask_embeddings, static_cast<std::size_t>(i));
    inputs.push_back(
        {eagle ? joined(mask(model.mask_features, static_cast<std::size_t>(i)), token) : token,
         inputs.back().position + 1});
  }
  return inputs;
}

/// What a row takes from itself and all rows before it.
Numbers attended(const model::ModelConfig& config, const Numbers& query,
                 const std::vector<Numbers>& keys, const std::vector<Numbers>& values) {
  const auto width = static_cast<std::size_t>(config.head_width);
  const auto group = static_cast<std::size_t>(config.heads / config.kv_heads);
  Numbers out(query.size());
  for (std::size_t head = 0; head * width < query.size(); ++head) {
    const std::size_t from = head / group * width;
    Numbers weights;
    for (const Numbers& key : keys) {
      double score = 0;
      for (std::size_t i = 0; i < width; ++i) score += query[head * width + i] * key[from + i];
      weights.push_back(std::exp(score / std::sqrt(static_cast<double>(width))));
    }
    double sum = 0;
    for (const double weight : weights) sum += weight;
    for (std::size_t row = 0; row < keys.size(); ++row)
      for (std::size_t i = 0; i < width; ++i)
        out[head * width + i] += weights[row] / sum * values[row][from + i];
  }
  return out;
}

/// The logits of Medusa's heads on a state.
std::vector<Numbers> heads_logits(const ParallelSpecModel& model, const std::vector<float>& state) {
  std::vector<Numbers> logits;
  for (std::int64_t row = 0; row < model.residual.head.rows;) {
    Numbers x(state.begin(), state.end());
    for (double& number : x) {
      const Numbers weights = row_of(model.residual.head, row++);
      double y = 0;
      for (std::size_t i = 0; i < weights.size(); ++i) y += weights[i] * double{state[i]};
      number += y / (1 + std::exp(-y));
    }
    logits.push_back(product(model.layer.head, x));
  }
  return logits;
}

}  // namespace

std::vector<std::vector<double>> plain_parallelspec_logits(
    const ParallelSpecModel& model, std::span<const Token> text,
    const std::vector<std::vector<float>>& states, std::span<const Token> drafted) {
  if (model.has_heads()) return heads_logits(model, states.at(text.size() - 2));
  const model::ModelConfig& config = model.layer.config;
  const model::LayerWeights& layer = model.layer.layers.front();
  std::vector<Input> inputs = inputs_of(model, text, states);
  const std::size_t outputs =
      model.drafts_one_by_one() ? 1 : static_cast<std::size_t>(model.most_drafts());
  const std::size_t first_output = inputs.size() - outputs;
  std::vector<Numbers> keys, values;
  std::vector<std::vector<double>> logits;
  for (std::size_t row = 0; row < inputs.size(); ++row) {
    const Input input = inputs[row];
    Numbers x = ParallelSpecModel::reads_pairs(model.flavour)
                    ? product(model.layer.state_projection, input.numbers)
                    : input.numbers;
    const Numbers a = normed(x, layer.attn_norm, double{config.norm_epsilon});
    Numbers query = product(layer.q, a), key = product(layer.k, a);
    rotate(query, config, input.position);
    rotate(key, config, input.position);
    keys.push_back(key);
    values.push_back(product(layer.v, a));
    if (row < first_output) continue;  // only its keys and values matter
    add(x, product(layer.o, attended(config, query, keys, values)));
    const Numbers b = normed(x, layer.ffn_norm, double{config.norm_epsilon});
    Numbers gate = product(layer.gate, b);
    const Numbers up = product(layer.up, b);
    for (std::size_t i = 0; i < gate.size(); ++i) gate[i] *= up[i] / (1 + std::exp(-gate[i]));
    add(x, product(layer.down, gate));
    const Numbers own = normed(x, model.layer.final_norm, double{config.norm_epsilon});
    logits.push_back(product(model.layer.head, own));
    if (!model.drafts_one_by_one() || row - first_output >= drafted.size()) continue;
    const Token token = drafted[row - first_output];
    inputs.push_back({joined(own, row_of(model.layer.embedding, token)), input.position + 1});
  }
  return logits;
}

}  // namespace outrider::test
