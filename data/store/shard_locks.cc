#include "data/store/shard_locks.h"

#include <fcntl.h>
#include <fmt/core.h>

#include <cerrno>
#include <cstring>

#include "runtime/base/error.h"

namespace outrider::data {

ShardLocks::ShardLocks(const std::filesystem::path& folder, const ShardPlan& plan) {
  const std::filesystem::path path = folder / "lock";
  const auto fail = [&](const std::string& what) {
    throw InputError(fmt::format("{}: {}", path.string(), what));
  };
  descriptor_.reset(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (descriptor_.number() < 0) fail(std::strerror(errno));
  for (int shard = plan.part - 1; shard < plan.shards(); shard += plan.parts) {
    struct flock byte = {};  // byte s of the (empty) file is the lock of shard s
    byte.l_type = F_WRLCK;
    byte.l_whence = SEEK_SET;
    byte.l_start = shard;
    byte.l_len = 1;
    if (::fcntl(descriptor_.number(), F_OFD_SETLK, &byte) == 0) continue;
    if (has_no_locks(errno)) {
      const std::filesystem::path held = folder / fmt::format("lock.{}.held", shard);
      held_.push_back(std::make_unique<HeldFile>());
      if (held_.back()->take(held)) continue;
      throw InputError(HeldFile::holder(held));
    }
    if (errno == EAGAIN || errno == EACCES) {
      fail(
          fmt::format("another process is writing shard {}; wait for it, or give each its own part "
                      "with --shard",
                      shard));
    }
    fail(std::strerror(errno));
  }
}

}  // namespace outrider::data
