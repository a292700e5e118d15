// System calls with injected failures; linked into a program or preloaded, they override the C library's.
// OUTRIDER_KILL_AT=n kills the process at its n-th call of write, fsync or rename: before the call, or
// half-way through a write. OUTRIDER_FULL_AT=n reports a full disk from the n-th call on.

#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace {

long calls = 0;

long setting(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? 0 : std::atol(text);
}

void die() { ::kill(::getpid(), SIGKILL); }

/// Counts the call. @return whether to kill the process at it
bool is_last() { return ++calls == setting("OUTRIDER_KILL_AT"); }

bool disk_is_full() {
  const long from = setting("OUTRIDER_FULL_AT");
  if (from == 0 || calls < from) return false;
  errno = ENOSPC;
  return true;
}

template <typename Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" {

ssize_t write(int descriptor, const void* bytes, size_t count) {
  static const auto call = real<ssize_t(int, const void*, size_t)>("write");
  if (descriptor <= STDERR_FILENO) return call(descriptor, bytes, count);
  if (is_last()) {
    call(descriptor, bytes, count / 2);
    die();
  }
  return disk_is_full() ? -1 : call(descriptor, bytes, count);
}

int fsync(int descriptor) {
  static const auto call = real<int(int)>("fsync");
  if (is_last()) die();
  return disk_is_full() ? -1 : call(descriptor);
}

int rename(const char* from, const char* to) noexcept {
  static const auto call = real<int(const char*, const char*)>("rename");
  if (is_last()) die();
  return disk_is_full() ? -1 : call(from, to);
}

}  // extern "C"
