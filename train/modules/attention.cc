#include "train/modules/attention.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace outrider::train {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::int64_t kQueryBlock = 128;
// Keys and queries are padded to multiples of these: oneDNN compiles a product for every shape it meets.
constexpr std::int64_t kKeyPadding = 64;
constexpr std::int64_t kQueryPadding = 32;

/// Some queries of one text, and the keys that they can see.
struct Block {
  std::int64_t first_query, queries;
  std::int64_t padded_queries;
  std::int64_t first_position;  // of the first query: all of them see the keys up to it
  std::int64_t keys;            // padding included
};

std::int64_t padded(std::int64_t count, std::int64_t multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

std::vector<Block> blocks_of(const AttentionSpan& span, const AttentionLayout& layout) {
  std::vector<Block> blocks;
  for (std::int64_t i = 0; i < span.queries; i += kQueryBlock) {
    const std::int64_t first = span.first_query + i;
    const std::int64_t queries = std::min(kQueryBlock, span.queries - i);
    const auto position = [&](std::int64_t query) {
      return layout.query_positions[static_cast<std::size_t>(query)];
    };
    blocks.push_back({first, queries, padded(queries, kQueryPadding), position(first),
                      padded(position(first + queries - 1) + 1, kKeyPadding)});
  }
  return blocks;
}

// [rows, heads, width] of a text -> [heads, padded rows, width]
at::Tensor by_head(const at::Tensor& x, const AttentionSpan& span) {
  at::Tensor result =
      at::zeros({x.size(1), padded(span.keys, kKeyPadding), x.size(2)}, x.options());
  result.narrow(1, 0, span.keys).copy_(x.narrow(0, span.first_key, span.keys).transpose(0, 1));
  return result;
}

// [queries, heads, width] of a block -> [kv_heads, heads / kv_heads * padded_queries, width]
at::Tensor by_group(const at::Tensor& x, const Block& block, std::int64_t kv_heads) {
  const std::int64_t group = x.size(1) / kv_heads;
  at::Tensor result = at::zeros({kv_heads, group, block.padded_queries, x.size(2)}, x.options());
  result.narrow(2, 0, block.queries)
      .copy_(x.narrow(0, block.first_query, block.queries)
                 .view({block.queries, kv_heads, group, x.size(2)})
                 .permute({1, 2, 0, 3}));
  return result.view({kv_heads, -1, x.size(2)});
}

// The other way round, into rows of `x`.
void write_group(const at::Tensor& group, const Block& block, at::Tensor& x) {
  const at::Tensor view = group.view({group.size(0), -1, block.padded_queries, x.size(2)});
  x.narrow(0, block.first_query, block.queries)
      .view({block.queries, group.size(0), -1, x.size(2)})
      .copy_(view.narrow(2, 0, block.queries).permute({2, 0, 1, 3}));
}

// Keys after a query's own position do not count.
void mask(at::Tensor& scores, const Block& block, const at::Tensor& positions) {
  const std::int64_t from = block.first_position + 1;
  if (from >= block.keys) return;
  const at::Tensor hidden =
      at::arange(from, block.keys, at::kLong)
          .gt(positions.narrow(0, block.first_query, block.queries).unsqueeze(1));
  scores.view({-1, block.padded_queries, block.keys})
      .narrow(1, 0, block.queries)
      .narrow(2, from, block.keys - from)
      .masked_fill_(hidden, -std::numeric_limits<double>::infinity());
}

struct Attention : torch::autograd::Function<Attention> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& q, const at::Tensor& k,
                            const at::Tensor& v, std::shared_ptr<const AttentionLayout> layout) {
    const std::int64_t kv_heads = k.size(1);
    const at::Tensor positions = at::tensor(layout->query_positions, at::kLong);
    const double scale = 1 / std::sqrt(static_cast<double>(q.size(2)));
    at::Tensor out = at::empty_like(q);
    variable_list saved = {q, k, v};
    for (const AttentionSpan& span : layout->spans) {
      const at::Tensor keys = by_head(k, span);
      const at::Tensor values = by_head(v, span);
      for (const Block& block : blocks_of(span, *layout)) {
        const at::Tensor queries = by_group(q, block, kv_heads) * scale;
        at::Tensor scores = at::bmm(queries, keys.narrow(1, 0, block.keys).transpose(1, 2));
        mask(scores, block, positions);
        saved.push_back(at::softmax(scores, -1));
        write_group(at::bmm(saved.back(), values.narrow(1, 0, block.keys)), block, out);
      }
    }
    ctx->save_for_backward(saved);
    ctx->saved_data["layout"] =
        c10::IValue::make_capsule(c10::make_intrusive<Held>(std::move(layout)));
    return out.flatten(1);
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const variable_list saved = ctx->get_saved_variables();
    const at::Tensor &q = saved[0], &k = saved[1], &v = saved[2];
    const auto layout = static_cast<const Held&>(*ctx->saved_data["layout"].toCapsule()).layout;
    const std::int64_t kv_heads = k.size(1);
    const double scale = 1 / std::sqrt(static_cast<double>(q.size(2)));
    // Sums over blocks of queries are kept in more than bf16.
    const auto sums = q.scalar_type() == at::kBFloat16 ? at::kFloat : q.scalar_type();
    const at::Tensor grad = grads[0].view(q.sizes());
    at::Tensor q_grad = at::empty_like(q), k_grad = at::empty_like(k), v_grad = at::empty_like(v);
    std::size_t next = 3;
    for (const AttentionSpan& span : layout->spans) {
      const at::Tensor keys = by_head(k, span);
      const at::Tensor values = by_head(v, span);
      at::Tensor key_sums = at::zeros_like(keys, keys.options().dtype(sums));
      at::Tensor value_sums = at::zeros_like(key_sums);
      for (const Block& block : blocks_of(span, *layout)) {
        const at::Tensor& shares = saved[next++];
        const at::Tensor queries = by_group(q, block, kv_heads) * scale;
        const at::Tensor out_grad = by_group(grad, block, kv_heads);
        value_sums.narrow(1, 0, block.keys).add_(at::bmm(shares.transpose(1, 2), out_grad));
        const at::Tensor share_grad =
            at::bmm(out_grad, values.narrow(1, 0, block.keys).transpose(1, 2));
        const at::Tensor score_grad =
            at::_softmax_backward_data(share_grad, shares, -1, q.scalar_type());
        key_sums.narrow(1, 0, block.keys).add_(at::bmm(score_grad.transpose(1, 2), queries));
        write_group(at::bmm(score_grad, keys.narrow(1, 0, block.keys)).mul_(scale), block, q_grad);
      }
      const auto write = [&](const at::Tensor& of_text, at::Tensor& rows) {
        rows.narrow(0, span.first_key, span.keys)
            .copy_(of_text.narrow(1, 0, span.keys).transpose(0, 1));
      };
      write(key_sums, k_grad);
      write(value_sums, v_grad);
    }
    return {q_grad, k_grad, v_grad, at::Tensor()};
  }

 private:
  /// What autograd keeps for the backward pass besides tensors.
  struct Held : torch::CustomClassHolder {
    explicit Held(std::shared_ptr<const AttentionLayout> held) : layout(std::move(held)) {}
    std::shared_ptr<const AttentionLayout> layout;
  };
};

}  // namespace

at::Tensor attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                     const AttentionLayout& layout) {
  return Attention::apply(q, k, v, std::make_shared<const AttentionLayout>(layout));
}

}  // namespace outrider::train
