#include "runtime/grammar/run_apart.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <exception>
#include <fstream>
#include <new>

#include "runtime/base/descriptors.h"
#include "runtime/base/error.h"
#include "runtime/base/owned_descriptor.h"

namespace outrider::grammar {
namespace {

using std::chrono::steady_clock;

// The first byte of an answer.
constexpr char kDone = 'y', kRefused = 'n';

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLimitsMemory = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kLimitsMemory = false;  // they reserve most of the address space
#else
constexpr bool kLimitsMemory = true;
#endif
#else
constexpr bool kLimitsMemory = true;
#endif

/// A sanitizer's allocator may be copied while another thread has it locked, and the copy then waits for ever.
constexpr int kAttempts = kLimitsMemory ? 1 : 3;

/// Bytes of the address space of this process.
std::int64_t mapped_bytes() {
  std::int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * ::sysconf(_SC_PAGESIZE);
}

void limit_process(const ApartLimits& limits) {
  const auto set = [](int resource, std::int64_t value) {
    const rlimit most = {static_cast<rlim_t>(value), static_cast<rlim_t>(value)};
    ::setrlimit(static_cast<__rlimit_resource>(resource), &most);
  };
  set(RLIMIT_CPU, limits.processor.count());
  set(RLIMIT_CORE, 0);
  if (kLimitsMemory) set(RLIMIT_AS, mapped_bytes() + limits.bytes);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE}) std::signal(signal, SIG_DFL);
}

/// The copy's part.
[[noreturn]] void work_and_end(const std::function<std::string()>& work, const ApartLimits& limits,
                               int descriptor) {
  std::string answer;
  try {
    limit_process(limits);
    answer = kDone + work();
  } catch (const std::bad_alloc&) {
    answer = kRefused + std::string("it needs too much memory");
  } catch (const std::exception& error) {
    answer = kRefused + std::string(error.what());
  }
  (void)write_whole(descriptor, answer);  // the other end may have given up
  ::_exit(0);
}

/// All that is written until the other end is closed; less where the time is over.
std::string read_all(int descriptor, steady_clock::time_point until) {
  std::string bytes;
  char part[1 << 16];
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - steady_clock::now());
    pollfd ready = {descriptor, POLLIN, 0};
    if (left.count() <= 0 ||
        TEMP_FAILURE_RETRY(::poll(&ready, 1, static_cast<int>(left.count()))) <= 0)
      return bytes;
    const ssize_t read = TEMP_FAILURE_RETRY(::read(descriptor, part, sizeof part));
    if (read <= 0) return bytes;
    bytes.append(part, static_cast<std::size_t>(read));
  }
}

/// What the copy answers; nothing where it did not end by itself.
std::string answer_of_copy(const std::function<std::string()>& work, const ApartLimits& limits) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::bad_alloc();
  OwnedDescriptor in(ends[0]), out(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) throw std::bad_alloc();
  if (child == 0) work_and_end(work, limits, out.number());
  out.reset();
  std::string answer = read_all(in.number(), steady_clock::now() + limits.wall / kAttempts);
  ::kill(child, SIGKILL);  // of no effect on one that has ended
  int status = 0;
  (void)TEMP_FAILURE_RETRY(::waitpid(child, &status, 0));
  const bool is_whole = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return is_whole ? answer : "";
}

}  // namespace

std::string run_apart(const std::function<std::string()>& work, const ApartLimits& limits) {
  std::string answer;
  for (int attempt = 0; attempt < kAttempts && answer.empty(); ++attempt)
    answer = answer_of_copy(work, limits);
  if (answer.empty())
    throw InputError(
        fmt::format("it takes more than {} s or too much memory", limits.processor.count()));
  const bool is_done = answer.front() == kDone;
  answer.erase(0, 1);
  if (!is_done) throw InputError(answer);
  return answer;
}

}  // namespace outrider::grammar
