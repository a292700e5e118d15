#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace outrider::engine {

/// The logits of a pass's rows, where its engine left them: on the host, or elsewhere, from where a row is fetched when it is
/// asked for. Nobody but the engine writes them.
class Logits {
 public:
  /// Rows that do not lie on the host.
  class Elsewhere {
   public:
    virtual ~Elsewhere() = default;
    /// Copies a row to the host. Several threads may ask for different rows at once.
    /// @param to  [width]
    virtual void fetch(int row, std::span<float> to) const = 0;
    /// Copies one number of a row; what a pass leaves is seldom asked about so.
    virtual float fetch_one(int row, int index) const = 0;
  };

  int rows() const { return rows_; }
  /// Logits of a row: Engine::num_logits.
  int width() const { return width_; }
  /// A row, [width], valid until the next pass. Several threads may ask for different rows at once.
  /// @throws std::logic_error for a row that the pass lacks
  std::span<const float> row(int i) const;
  /// One number of a row, without fetching the row. @throws std::logic_error for one that the pass lacks
  float number(int i, int index) const;

  // For engines.

  /// Makes room for the rows of a pass on the host: [rows, stride], of which the first `width` numbers of a row are its
  /// logits. What was there stays; memory never shrinks.
  float* on_host(int rows, int width, std::size_t stride);
  /// The rows lie elsewhere; those of the pass before are forgotten.
  void leave(int rows, int width, std::shared_ptr<Elsewhere> there);
  /// What was left last, for an engine that uses its memory again; null: nothing.
  const std::shared_ptr<Elsewhere>& elsewhere() const { return elsewhere_; }

 private:
  struct Fetched {
    bool is_there = false;
    std::vector<float> row;
  };

  /// @throws std::logic_error for a row that the pass lacks
  std::size_t checked(int i) const;

  int rows_ = 0;
  int width_ = 0;
  std::size_t stride_ = 0;
  std::vector<float> host_;               // [rows, stride], unless they are elsewhere
  std::shared_ptr<Elsewhere> elsewhere_;  // null: on the host
  mutable std::vector<Fetched> fetched_;  // [rows] of those elsewhere; never shrinks
};

/// One row of a pass's logits, wherever it lies. The pass must outlive it.
struct LogitsRow {
  const Logits* of;
  int row;

  /// On the host.
  std::span<const float> numbers() const { return of->row(row); }
};

}  // namespace outrider::engine
