#include "runtime/engine/model_too_large.h"

#include <fmt/core.h>

namespace outrider::engine {
namespace {

constexpr double kGigabyte = 1e9;

}  // namespace

ModelTooLarge::ModelTooLarge(const std::string& model, std::int64_t needed, const std::string& card,
                             std::int64_t free)
    : InputError(fmt::format(
          "{}: needs {:.2f} GB of the card's memory, and {} has {:.2f} GB free; expected a "
          "smaller model, another card (--device cuda:N), or --device cpu",
          model, static_cast<double>(needed) / kGigabyte, card,
          static_cast<double>(free) / kGigabyte)) {}

}  // namespace outrider::engine
