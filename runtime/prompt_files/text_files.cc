#include "runtime/prompt_files/text_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include "runtime/base/descriptors.h"
#include "runtime/base/error.h"
#include "runtime/base/text_file.h"
#include "runtime/tokenizer/utf8.h"

namespace outrider::text {
namespace {

namespace fs = std::filesystem;

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

/// Adds the files of a folder and of those in it, by their names, without hidden ones and links to folders.
/// @throws fs::filesystem_error naming a folder that cannot be read
void add_files_below(const fs::path& folder, std::vector<fs::path>& files) {
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(folder))
    if (!is_hidden(entry.path())) entries.push_back(entry.path());
  std::sort(entries.begin(), entries.end());
  std::error_code none;
  for (const fs::path& entry : entries) {
    const fs::file_status found = fs::status(entry, none);
    if (fs::is_directory(found)) {
      if (!fs::is_symlink(fs::symlink_status(entry, none))) add_files_below(entry, files);
    } else if (fs::is_regular_file(found)) {
      files.push_back(entry);
    }
  }
}

class TextFileReader {
 public:
  TextFileReader(const std::string& flag, const std::function<void(const std::string&)>& take)
      : flag_(flag), take_(take) {}

  void read(const fs::path& path) {
    if (!names_standard_input(path) && fs::is_directory(status(path)))
      read_folder(path);
    else
      read_file(path);
  }

  const TextFiles& found() const { return found_; }

 private:
  [[noreturn]] void fail(const fs::path& path, const std::string& why) const {
    throw InputError(fmt::format("{}: {}: {}", flag_, input_name(path), why));
  }

  fs::file_status status(const fs::path& path) const {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (fs::status_known(status) && fs::exists(status)) return status;
    fail(path, error.message() + "; expected a text file, or a folder of text files");
  }

  void read_folder(const fs::path& folder) {
    std::vector<fs::path> files;
    try {
      add_files_below(folder, files);
    } catch (const fs::filesystem_error& error) {
      fail(error.path1(), error.code().message());
    }
    for (const fs::path& file : files) {
      std::error_code error;
      const std::uintmax_t size = fs::file_size(file, error);
      if (!error && size > kMostBytesOfTextFile)
        ++found_.too_large;
      else
        read_file(file);
    }
  }

  void read_file(const fs::path& path) {
    std::string text;
    try {
      text = read_text_file(path, kMostBytesOfTextFile);
    } catch (const InputError& error) {
      throw InputError(fmt::format("{}: {}", flag_, error.what()));
    }
    if (text.find('\0') != std::string::npos || find_invalid_utf8(text)) {
      ++found_.no_text;
      return;
    }
    ++found_.files;
    found_.bytes += text.size();
    if (found_.bytes > kMostBytesOfTextFiles)
      throw InputError(
          fmt::format("{}: expected at most {} bytes of text, found more at {}; name fewer files",
                      flag_, kMostBytesOfTextFiles, input_name(path)));
    take_(text);
  }

  const std::string& flag_;
  const std::function<void(const std::string&)>& take_;
  TextFiles found_;
};

}  // namespace

std::vector<InputPath> text_files_at(const std::string& path) {
  std::error_code none;
  if (names_standard_input(path) || !fs::is_directory(path, none)) return {{path}};
  std::vector<fs::path> files;
  try {
    add_files_below(path, files);
  } catch (const fs::filesystem_error&) {
    // Reading says what cannot be read.
  }
  std::vector<InputPath> inputs;
  for (fs::path& file : files) inputs.push_back({std::move(file)});
  return inputs;
}

TextFiles read_text_files(const std::string& flag, const std::vector<std::string>& paths,
                          const std::function<void(const std::string&)>& take) {
  TextFileReader reader(flag, take);
  for (const std::string& path : paths) reader.read(path);
  const TextFiles& found = reader.found();
  if (found.files == 0)
    throw InputError(fmt::format(
        "{}: expected a text file (UTF-8), found none in {}: {} files are not text, {} above {} "
        "bytes",
        flag, fmt::join(paths, ", "), found.no_text, found.too_large, kMostBytesOfTextFile));
  return found;
}

}  // namespace outrider::text
