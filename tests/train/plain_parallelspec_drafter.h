#pragma once

#include <ATen/ATen.h>

#include <cmath>
#include <map>
#include <string>

#include "train/parallelspec/parallelspec_objective.h"
#include "train/reference/load_weight.h"
#include "train/reference/rope.h"

namespace outrider::train {

/// The drafter written down plainly: a group at a time, all rows before it and its masks as one text under
/// ordinary causal attention.
class PlainDrafter {
 public:
  PlainDrafter(ParallelSpecObjective& objective, const model::Model& target)
      : objective_(objective),
        options_(objective.options()),
        target_(target),
        embedding_(load_matrix(target.embedding, at::kDouble)),
        state_unit_(unit(objective, load_vector(target.final_norm, at::kDouble))),
        embedding_unit_(unit(objective, embedding_)) {
    for (const Parameter& parameter : objective.parameters())
      weights_[parameter.name] = parameter.value;
  }

  /// The loss of a group whose first drafted token is `output`; adds the slots' number to `slots`.
  at::Tensor group_loss(const data::Trace& trace, int output, std::int64_t& slots) const {
    const bool eagle = options_.shape.reads_pairs();
    const std::vector<Token> text = text_of(trace);
    const int root = static_cast<int>(trace.prompt_tokens.size()) + output - 1;
    const bool has_heads = options_.shape.flavour == Flavour::kMedusaHeads;
    const at::Tensor out = has_heads ? heads(state(trace, root - 1)) : rows(trace, root);
    at::Tensor loss = at::zeros({}, at::kDouble);
    const bool reads_tokens = eagle || (options_.shape.token_inputs && !has_heads);
    const int drafted = options_.shape.masks + (reads_tokens ? 1 : 0);
    for (int slot = 0; slot < drafted; ++slot) {
      const auto label = static_cast<std::size_t>(root + 1 + slot);
      if (label >= text.size() || trace.loss_mask[label] == 0 ||
          trace.in_loop[label - trace.prompt_tokens.size()] != 0)
        continue;
      ++slots;
      const at::Tensor row = out[out.size(0) - drafted + slot];
      const double weight = std::pow(options_.slot_decay, slot);
      if (eagle && !options_.shape.exported) {
        const at::Tensor off = (row - state(trace, static_cast<int>(label) - 1)).abs();
        const at::Tensor smooth = at::where(off < 1, off * off / 2, off - 0.5);
        loss = loss + weight * options_.feature_weight * smooth.mean();
      }
      const std::int64_t at = objective_.drafter().head_rows().row(text[label]);
      if (at >= 0)
        loss = loss - weight * options_.token_weight *
                          at::linear(row, objective_.drafter().head()).log_softmax(-1)[at];
    }
    return loss;
  }

 private:
  /// The power of two next to the root mean square; a drafter for export reads what it is given.
  static double unit(const ParallelSpecObjective& objective, const at::Tensor& x) {
    if (objective.options().shape.exported) return 1;
    return std::exp2(std::round(std::log2((x * x).mean().item<double>()) / 2));
  }

  static std::vector<Token> text_of(const data::Trace& trace) {
    std::vector<Token> text = trace.prompt_tokens;
    text.insert(text.end(), trace.output_tokens.begin(), trace.output_tokens.end());
    return text;
  }

  /// Medusa's heads on a state, a row each.
  at::Tensor heads(const at::Tensor& state) const {
    std::vector<at::Tensor> out;
    for (int i = 0; i < options_.shape.masks; ++i) {
      const at::Tensor product = at::mv(weight("residual").narrow(0, 64 * i, 64), state);
      out.push_back(state + product / (1 + (-product).exp()));
    }
    return at::stack(out);
  }

  /// All rows of the layer, where `root` is the text's last token.
  at::Tensor rows(const data::Trace& trace, int root) const {
    const bool eagle = options_.shape.reads_pairs();
    const bool by_states = !eagle && !options_.shape.token_inputs;
    const std::vector<Token> text = text_of(trace);
    std::vector<at::Tensor> rows;
    for (int j = eagle ? 1 : 0; j <= (by_states ? root - 1 : root); ++j) {
      const at::Tensor token = embedding_[text[static_cast<std::size_t>(j)]];
      rows.push_back(eagle ? at::cat({state(trace, j - 1) / state_unit_, token / embedding_unit_})
                     : by_states ? state(trace, j)
                                 : token);
    }
    for (int i = 0; i < options_.shape.masks; ++i) {
      if (const auto& exported = options_.shape.exported) {
        rows.push_back(at::cat({weight("mask_hidden")[0], embedding_[exported->mask_token]}));
        continue;
      }
      const int of_mask = options_.shape.shared_mask ? 0 : i;
      const at::Tensor mask = weight("mask_embeddings")[of_mask];
      rows.push_back(eagle ? at::cat({weight("mask_features")[of_mask], mask}) : mask);
    }
    const at::Tensor inputs = at::stack(rows);
    if (options_.shape.exported) {
      const at::Tensor x = at::linear(inputs.narrow(1, 0, 3 * 64), weight("fc"));
      return layer(x, at::cat({norm(inputs.narrow(1, 3 * 64, 64), "embedding_norm"),
                               norm(x, "layer.attn_norm")},
                              1));
    }
    const at::Tensor x = eagle ? at::linear(inputs, weight("fc")) : inputs;
    return layer(x, norm(x, "layer.attn_norm"));
  }

  at::Tensor weight(const std::string& name) const { return weights_.at(name); }

  /// Of the layers that the drafter reads, one after the other.
  at::Tensor state(const data::Trace& trace, int position) const {
    std::vector<float> row;
    for (const int layer : options_.shape.state_layers())
      for (const data::LayerStates& states : trace.states)
        for (int i = 0; states.layer == layer && i < 64; ++i)
          row.push_back(
              bfloat16_to_float(states.values[static_cast<std::size_t>(64 * position + i)]));
    return at::tensor(row).to(at::kDouble);
  }

  at::Tensor norm(const at::Tensor& x, const std::string& name) const {
    const double epsilon = static_cast<double>(target_.config.norm_epsilon);
    return weight(name) * x / ((x * x).mean(-1, true) + epsilon).sqrt();
  }

  /// @param x  the first state of the residual stream
  /// @param n  what queries, keys and values are made of
  at::Tensor layer(const at::Tensor& x, const at::Tensor& n) const {
    const std::int64_t rows = x.size(0);
    const RopeTable rope = rope_table(at::arange(rows), target_.config, at::kDouble);
    const auto heads = [&](const at::Tensor& of, int count) {
      return of.view({rows, count, 32}).transpose(0, 1);
    };
    const auto kv = at::linear(n, weight("layer.kv")).chunk(2, -1);
    const at::Tensor q = rotate(heads(at::linear(n, weight("layer.q")), 4), rope);
    const at::Tensor k = rotate(heads(kv[0], 2), rope).repeat_interleave(2, 0);
    const at::Tensor v = heads(kv[1], 2).repeat_interleave(2, 0);
    const at::Tensor causal = at::ones({rows, rows}, at::kBool).tril();
    const at::Tensor scores = (at::matmul(q, k.transpose(1, 2)) / std::sqrt(32.0))
                                  .masked_fill(causal.logical_not(), -INFINITY);
    const at::Tensor mixed = at::matmul(scores.softmax(-1), v).transpose(0, 1).reshape({rows, 128});
    const at::Tensor h = x + at::linear(mixed, weight("layer.o"));
    const auto gates = at::linear(norm(h, "layer.ffn_norm"), weight("layer.gate_up")).chunk(2, -1);
    const at::Tensor out = h + at::linear(at::silu(gates[0]) * gates[1], weight("layer.down"));
    return options_.final_norm ? norm(out, "final_norm") : out;
  }

  ParallelSpecObjective& objective_;
  ParallelSpecOptions options_;
  const model::Model& target_;
  at::Tensor embedding_;
  double state_unit_, embedding_unit_;
  std::map<std::string, at::Tensor> weights_;
};

}  // namespace outrider::train
