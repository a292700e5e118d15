#include "data/reader/made_by.h"

#include <fmt/core.h>

#include "data/store/context_length.h"
#include "runtime/base/error.h"
#include "runtime/model/identity.h"

namespace outrider::data {

namespace {

void check_rotation(const StoreIdentity& identity, const std::string& name,
                    const model::Model& model) {
  const bool is_extended = model.original_context > 0;
  const int recorded = context_length(identity);
  if (recorded == 0 || (!is_extended && model.config.long_context == 0)) return;
  const int original = is_extended ? model.original_context : model.config.context;
  if ((recorded > original) == is_extended) return;
  throw InputError(fmt::format(
      "{}: was made with a context of {}, here it is {}: beyond {} tokens the model rotates every "
      "token in another way; expected traces and --ctx on the same side of that",
      name, recorded, model.config.context, original));
}

void check_model(const StoreIdentity& identity, const std::string& name,
                 const model::Model& model) {
  check_rotation(identity, name, model);
  if (const std::string hash = model::model_hash(model); hash != identity.model_hash)
    throw InputError(fmt::format("{}: its hash is {}, expected {}, that of {}, which generated {}",
                                 model.path.string(), hash, identity.model_hash,
                                 identity.model_name, name));
}

}  // namespace

void check_same_rotation(const TraceStore& store, const model::Model& model) {
  check_rotation(store.identity(), store.folder().string(), model);
}

void check_made_by(const TraceStore& store, const model::Model& model) {
  check_model(store.identity(), store.folder().string(), model);
}

void check_made_by(const TraceStore& store, const inference::Target& target) {
  check_made_by(store.identity(), store.folder().string(), target);
}

void check_made_by(const StoreIdentity& identity, const std::string& name,
                   const inference::Target& target) {
  check_model(identity, name, target.model());
  const std::string* numerics = find_option(identity, "numerics");
  if (const std::string found = target.engine().numerics_name();
      numerics == nullptr || *numerics != found)
    throw InputError(
        fmt::format("{}: was made with numerics {}, not {}; only the same give the same bits", name,
                    numerics == nullptr ? "unknown" : *numerics, found));
}

}  // namespace outrider::data
