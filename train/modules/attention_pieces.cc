#include "train/modules/attention_pieces.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

namespace outrider::train {
namespace {

std::int64_t padded(std::int64_t count, std::int64_t multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

/// Some queries of one text.
struct Piece {
  std::int64_t first_query, queries, first_key, keys;
  std::int64_t first_position;  // of the first query
  std::int64_t padded_queries, padded_keys;

  std::int64_t area() const { return padded_queries * padded_keys; }
};

std::vector<Piece> pieces_of(const AttentionLayout& layout, const PieceSizes& sizes) {
  std::vector<Piece> pieces;
  for (const AttentionSpan& span : layout.spans)
    for (std::int64_t i = 0; i < span.queries; i += sizes.most_queries) {
      const std::int64_t first = span.first_query + i;
      const std::int64_t queries = std::min(sizes.most_queries, span.queries - i);
      const auto position = [&](std::int64_t query) {
        return layout.query_positions[static_cast<std::size_t>(query)];
      };
      const std::int64_t keys = position(first + queries - 1) + 1;
      pieces.push_back({first, queries, span.first_key, keys, position(first),
                        padded(queries, sizes.query_multiple), padded(keys, sizes.key_multiple)});
    }
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
    return std::tie(a.padded_queries, a.padded_keys) > std::tie(b.padded_queries, b.padded_keys);
  });
  return pieces;
}

/// The pieces that are computed together, one after the other. They are sorted by queries, then by keys, so that those of
/// one product are alike.
std::vector<std::vector<Piece>> products_of(const std::vector<Piece>& pieces,
                                            const PieceSizes& sizes) {
  std::vector<std::vector<Piece>> products;
  std::int64_t queries = 0, keys = 0, own = 0;
  for (const Piece& piece : pieces) {
    const std::int64_t wider = std::max(keys, piece.padded_keys);
    const std::int64_t area =
        products.empty() ? 0 : (std::ssize(products.back()) + 1) * queries * wider;
    const bool fits =
        area <= sizes.most_scores &&
        static_cast<double>(area) <= sizes.most_padded * static_cast<double>(own + piece.area());
    if (products.empty() || !fits) {
      products.emplace_back();
      queries = piece.padded_queries;
      keys = own = 0;
    }
    products.back().push_back(piece);
    keys = std::max(keys, piece.padded_keys);
    own += piece.area();
  }
  return products;
}

AttentionPieces tensors_of(const std::vector<Piece>& pieces, const at::Tensor& query_positions,
                           std::int64_t rows) {
  AttentionPieces together;
  together.pieces = std::ssize(pieces);
  together.queries = pieces.front().padded_queries;
  together.seen_by_all = pieces.front().first_position + 1;
  std::vector<std::int64_t> first_query, queries, first_key;
  for (const Piece& piece : pieces) {
    first_query.push_back(piece.first_query);
    queries.push_back(piece.queries);
    first_key.push_back(piece.first_key);
    together.keys = std::max(together.keys, piece.padded_keys);
    together.seen_by_all = std::min(together.seen_by_all, piece.first_position + 1);
  }
  const auto column = [&](const std::vector<std::int64_t>& numbers) {
    return at::tensor(numbers, at::kLong).to(query_positions.device()).unsqueeze(1);
  };
  const auto count = [&](std::int64_t end) { return at::arange(end, query_positions.options()); };
  const at::Tensor query = count(together.queries);
  // Past a text's end go on with whatever rows come next, and after the last with the first.
  together.query_rows = (column(first_query) + query).remainder_(query_positions.size(0)).flatten();
  together.key_rows = (column(first_key) + count(together.keys)).remainder_(rows).flatten();
  together.positions =
      query_positions.index_select(0, together.query_rows).view({together.pieces, -1});
  together.is_padding = query.ge(column(queries)).flatten();
  return together;
}

}  // namespace

at::Tensor by_key_head(const at::Tensor& rows, std::int64_t kv_heads) {
  return rows.view({rows.size(0), kv_heads, -1}).transpose(0, 1).contiguous();
}

at::Tensor by_row(const at::Tensor& x, std::int64_t kv_heads, std::int64_t rows) {
  return x.view({kv_heads, rows, -1}).transpose(0, 1).reshape({rows, -1});
}

at::Tensor AttentionPieces::keys_of(const at::Tensor& x) const {
  return by_key_head(x.index_select(0, key_rows), x.size(1)).view({-1, keys, x.size(2)});
}

void AttentionPieces::add_keys(const at::Tensor& x, at::Tensor& rows) const {
  const std::int64_t count = pieces * keys;
  rows.index_add_(0, key_rows,
                  by_row(x, rows.size(1), count)
                      .view({count, rows.size(1), rows.size(2)})
                      .to(rows.scalar_type()));
}

void AttentionPieces::hide_later(const at::Tensor& scores) const {
  if (seen_by_all >= keys) return;
  const at::Tensor later =
      at::arange(seen_by_all, keys, positions.options()).gt(positions.unsqueeze(2));
  scores.narrow(4, seen_by_all, keys - seen_by_all)
      .masked_fill_(later.unsqueeze(2), -std::numeric_limits<double>::infinity());
}

at::Tensor AttentionPieces::gradients_of(const at::Tensor& x) const {
  std::vector<std::int64_t> each(static_cast<std::size_t>(x.dim()), 1);
  each[0] = -1;
  return x.index_select(0, query_rows).masked_fill_(is_padding.view(each), 0);
}

PlannedPieces plan_pieces(const AttentionLayout& layout, std::int64_t rows, const PieceSizes& sizes,
                          at::Device device) {
  const at::Tensor positions = at::tensor(layout.query_positions, at::kLong).to(device);
  PlannedPieces planned;
  std::vector<std::int64_t> place(layout.query_positions.size());
  std::int64_t first = 0;
  for (const std::vector<Piece>& pieces : products_of(pieces_of(layout, sizes), sizes)) {
    planned.all.push_back(tensors_of(pieces, positions, rows));
    for (const Piece& piece : pieces) {
      for (std::int64_t i = 0; i < piece.queries; ++i)
        place[static_cast<std::size_t>(piece.first_query + i)] = first + i;
      first += planned.all.back().queries;
    }
  }
  planned.place = at::tensor(place, at::kLong).to(device);
  return planned;
}

}  // namespace outrider::train
