// Preloaded, makes locks on files fail as on a file system that has none.

#include <dlfcn.h>
#include <fcntl.h>

#include <cerrno>
#include <cstdarg>

namespace {

bool is_lock(int command) {
  return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK ||
         command == F_OFD_SETLKW;
}

using Fcntl = int (*)(int, int, ...);

int call(const char* name, int descriptor, int command, void* argument) {
  if (is_lock(command)) {
    errno = ENOLCK;
    return -1;
  }
  return reinterpret_cast<Fcntl>(::dlsym(RTLD_NEXT, name))(descriptor, command, argument);
}

}  // namespace

extern "C" int fcntl(int descriptor, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  return call("fcntl", descriptor, command, argument);
}

extern "C" int fcntl64(int descriptor, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  return call("fcntl64", descriptor, command, argument);
}
