#include "data/reader/made_by.h"

#include <fmt/core.h>

#include "data/store/context_length.h"
#include "runtime/base/error.h"
#include "runtime/model/identity.h"

namespace outrider::data {

void check_same_rotation(const TraceStore& store, const model::Model& model) {
  const bool is_extended = model.original_context > 0;
  const int recorded = context_length(store.identity());
  if (recorded == 0 || (!is_extended && model.config.long_context == 0)) return;
  const int original = is_extended ? model.original_context : model.config.context;
  if ((recorded > original) == is_extended) return;
  throw InputError(
      fmt::format("{}: was made with a context of {}, here it is {}: beyond {} tokens the model "
                  "rotates every token in another way; expected traces and --ctx on the same side "
                  "of that",
                  store.folder().string(), recorded, model.config.context, original));
}

void check_made_by(const TraceStore& store, const model::Model& model) {
  check_same_rotation(store, model);
  const StoreIdentity& identity = store.identity();
  if (const std::string hash = model::model_hash(model); hash != identity.model_hash)
    throw InputError(fmt::format("{}: its hash is {}, expected {}, that of {}, which generated {}",
                                 model.path.string(), hash, identity.model_hash,
                                 identity.model_name, store.folder().string()));
}

void check_made_by(const TraceStore& store, const inference::Target& target) {
  check_made_by(store, target.model());
  const std::string* numerics = find_option(store.identity(), "numerics");
  if (const std::string found = target.engine().numerics_name();
      numerics == nullptr || *numerics != found)
    throw InputError(
        fmt::format("{}: was made with numerics {}, not {}; only the same give the same bits",
                    store.folder().string(), numerics == nullptr ? "unknown" : *numerics, found));
}

}  // namespace outrider::data
