// Compares train/workers/nccl.h with NCCL's own header, and asks the library that OUTRIDER_NCCL names. scripts/check_nccl
// builds and runs it, where there need not be a card.
#include <nccl.h>

#include <cstddef>
#include <cstdio>
#include <type_traits>

#include "train/workers/nccl.h"
#include "train/workers/nccl_library.h"

namespace {

namespace ours = outrider::train::nccl;

/// Whether a function that is called as the first is given what the second takes.
template <typename Ours, typename Theirs>
constexpr bool passed_alike =
    sizeof(Ours) == sizeof(Theirs) && std::is_pointer_v<Ours> ==
                                          std::is_pointer_v<Theirs>&& std::is_class_v<Ours> ==
                                          std::is_class_v<Theirs>;

template <typename Ours, typename Theirs>
struct Alike : std::false_type {};
template <typename R, typename... A, typename S, typename... B>
requires(sizeof...(A) == sizeof...(B)) struct Alike<R (*)(A...), S (*)(B...)>
    : std::bool_constant<passed_alike<R, S> && (passed_alike<A, B> && ...)> {
};

#define ALIKE(name) \
  static_assert(Alike<decltype(ours::Functions::name), decltype(&::name)>::value, #name)
ALIKE(ncclGetVersion);
ALIKE(ncclGetErrorString);
ALIKE(ncclGetLastError);
ALIKE(ncclGetUniqueId);
ALIKE(ncclCommInitRankConfig);
ALIKE(ncclCommGetAsyncError);
ALIKE(ncclCommAbort);
ALIKE(ncclCommDestroy);
ALIKE(ncclGroupStart);
ALIKE(ncclGroupEnd);
ALIKE(ncclSend);
ALIKE(ncclRecv);

static_assert(ours::kSuccess == ncclSuccess && ours::kRemoteError == ncclRemoteError &&
              ours::kInProgress == ncclInProgress && ours::kFloat32 == ncclFloat32);
static_assert(ours::kLeastVersion == NCCL_VERSION(2, 14, 0));
static_assert(sizeof(ours::UniqueId) == sizeof(ncclUniqueId));
static_assert(sizeof(ours::Config) <= sizeof(ncclConfig_t) &&
              offsetof(ours::Config, magic) == offsetof(ncclConfig_t, magic) &&
              offsetof(ours::Config, version) == offsetof(ncclConfig_t, version) &&
              offsetof(ours::Config, blocking) == offsetof(ncclConfig_t, blocking));

}  // namespace

int main() {
  const ncclConfig_t initial = NCCL_CONFIG_INITIALIZER;
  if (ours::Config().magic != initial.magic) {
    std::puts("the magic number of ncclConfig_t is another");
    return 1;
  }
  const outrider::train::NcclLibrary library = outrider::train::load_nccl();
  if (!library.missing.empty()) {
    std::puts(library.missing.c_str());
    return 1;
  }
  ours::UniqueId id{};
  const int result = library.functions.ncclGetUniqueId(&id);
  std::printf("%s: NCCL %s, header %d.%d.%d; all functions are there; ncclGetUniqueId: %s\n",
              library.file.c_str(), library.version_text().c_str(), NCCL_MAJOR, NCCL_MINOR,
              NCCL_PATCH, library.functions.ncclGetErrorString(result));
  return library.version == NCCL_VERSION_CODE && result == ours::kSuccess ? 0 : 1;
}
