#include "train/workers/meeting_folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include "runtime/base/atomic_file.h"
#include "runtime/base/error.h"
#include "runtime/base/interrupted.h"
#include "runtime/base/stopwatch.h"
#include "runtime/base/text_file.h"
#include "runtime/base/try_again.h"

namespace outrider::train {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kPause{20};
constexpr std::size_t kMostBytes = 1 << 20;

std::string new_name() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}-{}", random(), random(), ::getpid());
}

std::optional<std::string> content(const fs::path& path) {
  std::error_code none;
  if (!fs::is_regular_file(path, none)) return {};
  try {
    return read_text_file(path, kMostBytes);
  } catch (const InputError&) {
    return {};  // it was removed meanwhile
  }
}

/// What worker 0 answers: the file, then everybody's name.
std::string answer_of(const std::string& file, const std::vector<std::string>& names) {
  return fmt::format("{}\n{}", file, fmt::join(names, "\n"));
}

class Folder {
 public:
  Folder(fs::path folder, int count) : folder_(std::move(folder)), count_(count) {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) throw InputError(fmt::format("--workers {}: {}", folder_.string(), error.message()));
  }

  fs::path here(int rank) const { return folder_ / fmt::format("worker-{}.here", rank); }
  fs::path read(int rank) const { return folder_ / fmt::format("worker-{}.read", rank); }
  fs::path answer() const { return folder_ / "answer"; }

  /// Removes what earlier starts left. Workers of this one write again what is removed.
  void clear() const {
    std::error_code none;
    std::vector<fs::path> left;
    for (const auto& entry : fs::directory_iterator(folder_, none)) {
      const std::string name = entry.path().filename().string();
      // Not what a worker of this start is just writing, to be renamed.
      if (name == "answer" || name.ends_with(".here") || name.ends_with(".read") ||
          name.starts_with("meeting-"))
        left.push_back(entry.path());
    }
    for (const fs::path& path : left) fs::remove(path, none);
  }

  /// The names of workers 1 to count - 1; empty where one has not come.
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (int rank = 1; rank < count_; ++rank) all.push_back(content(here(rank)).value_or(""));
    return all;
  }
  bool have_all_read(const std::vector<std::string>& names) const {
    for (int rank = 1; rank < count_; ++rank)
      if (content(read(rank)) != names[static_cast<std::size_t>(rank - 1)]) return false;
    return true;
  }
  fs::path file(const std::string& name) const { return folder_ / ("meeting-" + name); }

  [[noreturn]] void nobody(const std::string& who, std::chrono::milliseconds timeout) const {
    throw TryAgain(fmt::format("--workers {}: {} did not come within {} s", folder_.string(), who,
                               timeout.count() / 1000));
  }

 private:
  fs::path folder_;
  int count_;
};

/// Asked while a worker waits.
using IsInterrupted = std::function<bool()>;

fs::path lead(const Folder& folder, std::chrono::milliseconds timeout,
              const IsInterrupted& interrupted) {
  const std::string file = new_name();
  folder.clear();
  std::vector<std::string> answered;
  for (const Stopwatch watch; watch.seconds() * 1000 < static_cast<double>(timeout.count());) {
    if (interrupted && interrupted()) throw Interrupted();
    const std::vector<std::string> names = folder.names();
    if (std::find(names.begin(), names.end(), "") == names.end()) {
      if (names != answered) write_file_atomically(folder.answer(), answer_of(file, names));
      answered = names;
      if (folder.have_all_read(names)) return folder.file(file);
    }
    std::this_thread::sleep_for(kPause);
  }
  const std::vector<std::string> names = folder.names();
  std::string missing;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i].empty()) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", i + 1);
  folder.nobody(missing.empty() ? "an answer of the others" : "worker " + missing, timeout);
}

fs::path follow(const Folder& folder, int rank, std::chrono::milliseconds timeout,
                const IsInterrupted& interrupted) {
  const std::string name = new_name();
  for (const Stopwatch watch; watch.seconds() * 1000 < static_cast<double>(timeout.count());) {
    if (interrupted && interrupted()) throw Interrupted();
    if (content(folder.here(rank)) != name) write_file_atomically(folder.here(rank), name);
    const std::string answer = content(folder.answer()).value_or("");
    if (const std::size_t end = answer.find('\n');
        end != std::string::npos && answer.find(name, end) != std::string::npos) {
      write_file_atomically(folder.read(rank), name);
      return folder.file(answer.substr(0, end));
    }
    std::this_thread::sleep_for(kPause);
  }
  folder.nobody("worker 0", timeout);
}

}  // namespace

fs::path meet_in_folder(const fs::path& path, int rank, int count,
                        std::chrono::milliseconds timeout,
                        const std::function<bool()>& interrupted) {
  const Folder folder(path, count);
  return rank == 0 ? lead(folder, timeout, interrupted)
                   : follow(folder, rank, timeout, interrupted);
}

}  // namespace outrider::train
