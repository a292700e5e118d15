#include "train/workers/nccl_library.h"

#include <dlfcn.h>
#include <fmt/core.h>
#include <link.h>

#include <filesystem>
#include <vector>

#include "runtime/base/launched_process.h"

namespace outrider::train {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVariable = "OUTRIDER_NCCL";
constexpr const char* kName = "libnccl.so.2";

/// The folder of libtorch_cuda.so; empty where it is not loaded.
fs::path folder_of_kernels() {
  fs::path folder;
  dl_iterate_phdr(
      [](dl_phdr_info* library, std::size_t, void* found) {
        const fs::path path = library->dlpi_name;
        if (path.filename() != "libtorch_cuda.so") return 0;
        *static_cast<fs::path*>(found) = path.parent_path();
        return 1;
      },
      &folder);
  return folder;
}

/// Files and names to try, in this order.
std::vector<std::string> candidates() {
  if (const auto named = environment_variable(kVariable); named && !named->empty()) return {*named};
  std::vector<std::string> all = {kName};
  if (const fs::path folder = folder_of_kernels(); !folder.empty()) {
    all.push_back((folder / kName).string());
    // torch/lib and nvidia/nccl/lib are beside each other in a Python.
    all.push_back(
        (folder.parent_path().parent_path() / "nvidia" / "nccl" / "lib" / kName).string());
  }
  return all;
}

/// The file that a library was loaded from.
std::string file_of(void* library, const std::string& name) {
  link_map* map = nullptr;
  const bool known = dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr;
  return known && map->l_name[0] != '\0' ? map->l_name : name;
}

std::string version_name(int version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

/// @return what is wrong with a library that was loaded; empty: nothing
std::string take_functions(void* library, NcclLibrary& found) {
  std::string absent;
  nccl::visit_functions(found.functions, [&](const char* name, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr && absent.empty()) absent = name;
  });
  if (found.functions.ncclGetVersion != nullptr) found.functions.ncclGetVersion(&found.version);
  const std::string expected = version_name(nccl::kLeastVersion);
  if (found.version > 0 && found.version < nccl::kLeastVersion)
    return fmt::format("{} is NCCL {}; expected {} or later", found.file, found.version_text(),
                       expected);
  if (!absent.empty())
    return fmt::format("{} has no {}; expected NCCL {} or later", found.file, absent, expected);
  return {};
}

}  // namespace

std::string NcclLibrary::version_text() const {
  // Up to 2.8 the second number had one digit.
  if (version < 10000)
    return fmt::format("{}.{}.{}", version / 1000, version / 100 % 10, version % 100);
  return version_name(version);
}

NcclLibrary load_nccl() {
  NcclLibrary found;
  std::string reasons;
  for (const std::string& name : candidates()) {
    // Never closed: it has threads of its own.
    void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) {
      found.file = file_of(library, name);
      found.missing = take_functions(library, found);
      if (!found.missing.empty())
        found.missing +=
            fmt::format(": give another in {}, such as that of PyPI's nvidia-nccl-cu13", kVariable);
      return found;
    }
    const char* const reason = dlerror();
    reasons += fmt::format("{}{}", reasons.empty() ? "" : "; ", reason == nullptr ? name : reason);
  }
  found.missing = fmt::format(
      "NCCL was not found ({}); expected {} of PyPI's nvidia-nccl-cu13, which every torch for CUDA "
      "comes with: name the file in {}, or its folder in LD_LIBRARY_PATH",
      reasons, kName, kVariable);
  return found;
}

}  // namespace outrider::train
