#pragma once

#include <filesystem>
#include <string>

namespace outrider {

// What a command reads and writes, so that no output replaces an input or another output. Files are
// told apart by device and inode: it does not matter by which name, or through which link, they are
// reached. Whoever opens a file for a user notes it here.

/// A file that is read. Nothing is noted of what is no regular file, or is not there.
void note_input(const std::filesystem::path& path);
/// @param name  stands for it in messages
void note_input(int descriptor, const std::string& name);

/// A folder, of which the files with such names belong to what is read, whether opened or not.
void note_input_folder(const std::filesystem::path& folder,
                       bool (*is_read)(const std::string& name));

/// A file that is about to be written; "-" is standard output. May be asked again, when more inputs
/// were noted.
/// @param flag  that names it, such as "--json"
/// @throws InputError naming the flag when that would replace an input, add to a folder that is read
///         or go where another flag's output goes
void claim_output(const std::string& flag, const std::filesystem::path& path);

/// The same for a file that is read and replaced by what was made of it; not standard output.
void claim_update(const std::string& flag, const std::filesystem::path& path);

/// For the start of a command: nothing is read or written yet.
void forget_opened_files();

/// Where a name leads through symbolic links, also when there is nothing yet.
std::filesystem::path follow_links(std::filesystem::path path);

}  // namespace outrider
