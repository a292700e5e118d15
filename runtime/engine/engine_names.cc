#include "runtime/engine/engine_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "runtime/base/error.h"

namespace outrider::engine {

namespace {

template <typename Setting>
Setting setting_of(std::string_view name, const char* flag, const std::vector<std::string>& names,
                   std::initializer_list<Setting> settings) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return settings.begin()[found - names.begin()];
  throw InputError(fmt::format("{} {}: expected one of {}", flag, name, fmt::join(names, ", ")));
}

}  // namespace

const std::vector<std::string>& numerics_names() {
  static const std::vector<std::string> names = {"auto", "f32", "int8", "bf16"};
  return names;
}

const std::vector<std::string>& isa_names() {
  static const std::vector<std::string> names = {"auto", "scalar", "avx2", "avx512", "amx"};
  return names;
}

const std::vector<std::string>& kv_names() {
  static const std::vector<std::string> names = {"auto", "f16", "f32", "q8_0"};
  return names;
}

Numerics numerics_of(std::string_view name) {
  return setting_of(name, "--numerics", numerics_names(),
                    {Numerics::kAuto, Numerics::kF32, Numerics::kInt8, Numerics::kBf16});
}

Isa isa_of(std::string_view name) {
  return setting_of(name, "--isa", isa_names(),
                    {Isa::kAuto, Isa::kScalar, Isa::kAvx2, Isa::kAvx512, Isa::kAmx});
}

std::optional<KvType> kv_of(std::string_view name) {
  return setting_of<std::optional<KvType>>(
      name, "--kv", kv_names(), {std::nullopt, KvType::kF16, KvType::kF32, KvType::kQ8_0});
}

}  // namespace outrider::engine
