#pragma once

#include <filesystem>
#include <string>

namespace outrider {

// The files that a command reads and writes, so that no output replaces an input or another output.
// Files are identified by device and inode, whatever name or link leads to them. Code that opens a
// user's file registers it here.

/// Registers an input. Ignored unless it is an existing regular file.
void note_input(const std::filesystem::path& path);
/// @param name  for messages
void note_input(int descriptor, const std::string& name);

/// Registers that standard input is read to its end.
/// @throws InputError if it was already
void claim_standard_input();

/// What a command does with the files of an input folder.
enum class FolderUse { kRead, kReadAndUpdate };

/// Registers the files with such names in a folder as inputs, whether they are opened or not.
/// @param use  kReadAndUpdate: they may be outputs of `claim_update`
void note_input_folder(const std::filesystem::path& folder,
                       bool (*is_read)(const std::string& name), FolderUse use = FolderUse::kRead);

/// Registers an output; "-" is standard output. May be called again after more inputs were registered.
/// @param flag  that gave the path, such as "--json"
/// @throws InputError naming the flag if it would replace an input, add to an input folder, write to another flag's
///         output, or is a standard output that was closed
void claim_output(const std::string& flag, const std::filesystem::path& path);

/// Claims a file that is updated: read and then replaced; not standard output. No output may be a
/// file that is kept beside it meanwhile: `path`.lock, `path`.….part, or a temporary file of it.
void claim_update(const std::string& flag, const std::filesystem::path& path);

/// @throws InputError if the file or folder that a flag names is "-" and so would be standard output
void check_output_file(const std::string& flag, const std::filesystem::path& path);
void check_output_folder(const std::string& flag, const std::filesystem::path& path);

/// Clears all registrations, at the start of a command.
void forget_opened_files();

/// Resolves symbolic links, also if the target does not exist.
std::filesystem::path follow_links(std::filesystem::path path);

}  // namespace outrider
