#pragma once

#include "runtime/engine/kv_cache.h"
#include "runtime/model/config.h"

namespace outrider::data {

/// Makes the first `tokens` committed tokens of one cache those of another, which may hold fewer of
/// the same tokens already. Keys and values depend on the tokens before them only, so these are the
/// ones that forwarding them again would write, bit for bit.
void copy_prefix(engine::KvCache& from, engine::KvCache& to, int tokens,
                 const model::ModelConfig& config);

}  // namespace outrider::data
