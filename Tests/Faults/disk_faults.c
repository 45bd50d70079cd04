/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A library to be loaded in front of the C library (LD_PRELOAD): lets operations on the files below the folder
 * FAULT_FOLDER fail as long as a marker file is there.
 *
 *   FAULT_FOLDER.full    the disk is full: files cannot grow, and none can be made (ENOSPC)
 *   FAULT_FOLDER.broken  the disk is broken: nothing can be written or synced (EIO)
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const char *folder(void) { return getenv("FAULT_FOLDER"); }

static int is_marked(const char *kind) {
  char path[PATH_MAX];
  if (!folder()) return 0;
  snprintf(path, sizeof path, "%s.%s", folder(), kind);
  return access(path, F_OK) == 0;
}

static int is_below(const char *path) {
  size_t size = folder() ? strlen(folder()) : 0;
  return size && !strncmp(path, folder(), size) && path[size] == '/';
}

/* A file in the folder; its size. */
static int is_watched(int descriptor, off_t *size) {
  char link[64], path[PATH_MAX];
  struct stat status;
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t count = readlink(link, path, sizeof path - 1);
  if (count < 0 || fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
  path[count] = 0;
  *size = status.st_size;
  return is_below(path);
}

/* Whether a change of a file up to `end` fails; sets errno. */
static int fails(int descriptor, off_t end) {
  off_t size;
  int is_full = is_marked("full"), is_broken = is_marked("broken");
  if ((!is_full && !is_broken) || !is_watched(descriptor, &size)) return 0;
  if (!is_broken && end <= size) return 0;
  errno = is_broken ? EIO : ENOSPC;
  return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return fails(descriptor, offset + (off_t)count) ? -1 : REAL(pwrite)(descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  return fails(descriptor, offset + (off_t)count) ? -1 : REAL(pwrite64)(descriptor, bytes, count, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  off_t offset = lseek(descriptor, 0, SEEK_CUR);
  return offset >= 0 && fails(descriptor, offset + (off_t)count) ? -1 : REAL(write)(descriptor, bytes, count);
}

int ftruncate(int descriptor, off_t size) { return fails(descriptor, size) ? -1 : REAL(ftruncate)(descriptor, size); }

int ftruncate64(int descriptor, off64_t size) {
  return fails(descriptor, size) ? -1 : REAL(ftruncate64)(descriptor, size);
}

int fsync(int descriptor) { return fails(descriptor, 0) ? -1 : REAL(fsync)(descriptor); }

int fdatasync(int descriptor) { return fails(descriptor, 0) ? -1 : REAL(fdatasync)(descriptor); }

static int cannot_create(const char *path, int flags) {
  if (!(flags & O_CREAT) || !is_below(path) || access(path, F_OK) == 0) return 0;
  if (!is_marked("full") && !is_marked("broken")) return 0;
  errno = is_marked("broken") ? EIO : ENOSPC;
  return 1;
}

#define OPEN(name)                                  \
  int name(const char *path, int flags, ...) {      \
    va_list arguments;                              \
    va_start(arguments, flags);                     \
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0; \
    va_end(arguments);                              \
    return cannot_create(path, flags) ? -1 : REAL(name)(path, flags, mode); \
  }

OPEN(open)
OPEN(open64)

#define STATVFS(name)                                                \
  int name(const char *path, struct name *status) {                  \
    int result = REAL(name)(path, status);                           \
    if (is_below(path) && is_marked("full")) status->f_bavail = 0;   \
    return result;                                                   \
  }

STATVFS(statvfs)
STATVFS(statvfs64)
