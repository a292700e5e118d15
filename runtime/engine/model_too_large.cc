#include "runtime/engine/model_too_large.h"

#include <fmt/core.h>

namespace outrider::engine {
namespace {

double gigabytes(std::int64_t bytes) { return static_cast<double>(bytes) / 1e9; }

}  // namespace

ModelTooLarge::ModelTooLarge(const std::string& model, const Needed& needed,
                             const std::string& card, std::int64_t free)
    : InputError(
          fmt::format("{}: needs {:.2f} GB of the card's memory, {:.2f} GB for its weights and "
                      "{:.2f} GB for texts, and {} has {:.2f} GB free; expected a smaller model, a "
                      "shorter context (--ctx), another card (--device cuda:N), or --device cpu",
                      model, gigabytes(needed.weights + needed.texts), gigabytes(needed.weights),
                      gigabytes(needed.texts), card, gigabytes(free))) {}

}  // namespace outrider::engine
