#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "data/store/manifest.h"

namespace outrider::data {

/// The files of a store, or of a group of it, that are in one or more folders.
struct MergedFiles {
  std::string name;                            // of the group's folder; empty: the store itself
  Manifest manifest;                           // of one part
  std::map<int, std::filesystem::path> files;  // by shard
  int parts = 0;  // that --shard divided it into; 0: not the same everywhere
};

/// Puts together what several processes made of one store by --shard: in one folder, or in folders of several machines
/// that share none. What it makes does not depend on how many there were: its files are those that one process would
/// have written, byte for byte, and so is the manifest but for the times in it.
class StoreMerge {
 public:
  /// @throws InputError if a folder has no store, two are of different stores, naming the difference, or shards of the
  ///         same number differ
  explicit StoreMerge(std::vector<std::filesystem::path> folders);

  /// What is missing, a sentence for the store and each of its groups, with the parts to submit again; empty: nothing.
  std::vector<std::string> missing() const;
  /// Files that differ from their manifests, a sentence each. @param file_done  called after each with their number so far; ends it by
  ///        throwing
  std::vector<std::string> damaged(const std::function<void(std::int64_t)>& file_done) const;
  std::int64_t files() const;
  const Manifest& manifest() const { return sets_.front().manifest; }

  /// Makes one manifest of those in the only folder. May be killed, and called again.
  /// @throws InputError if another process is writing in it
  void in_place() const;
  /// Copies everything into a new folder, or one in which this was begun.
  /// @param file_done  as of `damaged`; what is copied stays, and the next call goes on from there
  /// @throws InputError if the folder has something else, or a file differs from its manifest
  void copy_to(const std::filesystem::path& out,
               const std::function<void(std::int64_t)>& file_done) const;

 private:
  MergedFiles merged(const std::string& group) const;

  std::vector<std::filesystem::path> folders_;
  std::vector<MergedFiles> sets_;  // the store, then its groups
};

}  // namespace outrider::data
