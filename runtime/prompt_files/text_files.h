#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "runtime/base/input_path.h"

namespace outrider::text {

inline constexpr std::size_t kMostBytesOfTextFile = std::size_t{16} << 20;
inline constexpr std::size_t kMostBytesOfTextFiles = std::size_t{64} << 20;

/// What reading text files found.
struct TextFiles {
  int files = 0;          // read
  std::size_t bytes = 0;  // of these
  // Left out:
  int no_text = 0;    // with bytes that are not UTF-8, or zeros
  int too_large = 0;  // files of a folder above kMostBytesOfTextFile
};

/// The files that `read_text_files` reads at a path, those included that turn out to be no text.
std::vector<InputPath> text_files_at(const std::string& path);

/// Reads text files and all of those in folders, in the order given, of a folder by their names; "-" is standard input.
/// In a folder files and folders whose name begins with a dot are left out, and so are links to folders.
/// @param flag  for messages
/// @param take  gets the text of each
/// @throws InputError for what cannot be read, a named file above kMostBytesOfTextFile, more than kMostBytesOfTextFiles
///         in all, and where there is no text file
TextFiles read_text_files(const std::string& flag, const std::vector<std::string>& paths,
                          const std::function<void(const std::string&)>& take);

}  // namespace outrider::text
