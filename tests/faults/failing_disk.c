/* A disk that fails: libc's file calls, made to fail for real at the n-th of them (LD_PRELOAD).
 *
 * Python, Rust (safetensors, tokenizers) and C++ (torch) all call these functions, so each of them
 * meets the error where it would meet that of a broken disk. Nothing happens before `arm_disk`.
 * Only files below a folder count. The counter is shared with forked children.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { HANDLES = 4096 };
enum { READS = 1, CHANGES = 2 };

static struct {
    char below[PATH_MAX];
    long first, last; /* numbers of the calls that fail, from 1 */
    int error;        /* what they fail with; 0 kills the process instead */
    int reads;        /* whether calls that only read count too */
    int journal;      /* where each call is written down */
    volatile long *count;
} disk;
static char *files[HANDLES];
static int uses[HANDLES];

/* Count the calls on files below a folder and fail those from `first` to `last` (none if 0). */
void arm_disk(const char *below, long first, long last, int error, int reads, const char *journal) {
    disk.first = first, disk.last = last, disk.error = error, disk.reads = reads;
    int handle = syscall(SYS_openat, AT_FDCWD, journal, O_WRONLY | O_CREAT | O_APPEND, 0644);
    disk.journal = fcntl(handle, F_DUPFD_CLOEXEC, HANDLES); /* leaves the low numbers alone */
    if (disk.journal < 0) disk.journal = handle;
    else syscall(SYS_close, handle);
    disk.count = mmap(NULL, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    snprintf(disk.below, sizeof disk.below, "%s", below);
}

static int is_below(const char *path) {
    size_t length = strlen(disk.below);
    return length && !strncmp(path, disk.below, length) && (path[length] == '/' || !path[length]);
}

/* Put the whole path of a file into `whole`; say whether it counts. */
static int resolve(int folder, const char *path, char *whole) {
    if (!disk.below[0] || !path) return 0;
    if (path[0] == '/') snprintf(whole, PATH_MAX, "%s", path);
    else {
        char start[PATH_MAX], link[64];
        if (folder == AT_FDCWD) {
            if (syscall(SYS_getcwd, start, sizeof start) < 0) return 0;
        } else {
            snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
            ssize_t length = readlink(link, start, sizeof start - 1);
            if (length < 0) return 0;
            start[length] = 0;
        }
        if (snprintf(whole, PATH_MAX, "%s/%s", start, path) >= PATH_MAX) return 0;
    }
    return is_below(whole);
}

/* Count one call; return 1 where it is to fail, with errno set. Half of a write still happens. */
static int fails(const char *call, const char *path, int use, int handle, const void *data, size_t size) {
    if (use == READS && !disk.reads) return 0;
    long number = __sync_add_and_fetch(disk.count, 1);
    int failing = number >= disk.first && number <= disk.last;
    char line[PATH_MAX + 64];
    int length = snprintf(line, sizeof line, "%s %s%s\n", call, path, failing ? " FAILS" : "");
    syscall(SYS_write, disk.journal, line, length);
    if (!failing) return 0;
    if (!disk.error) {
        if (data) syscall(SYS_write, handle, data, size / 2);
        syscall(SYS_kill, getpid(), SIGKILL);
    }
    errno = disk.error;
    return 1;
}

static int path_fails(const char *call, int folder, const char *path, int use) {
    char whole[PATH_MAX];
    return resolve(folder, path, whole) && fails(call, whole, use, -1, NULL, 0);
}

static int is_watched(int handle) { return handle >= 0 && handle < HANDLES && files[handle]; }

static int handle_fails(const char *call, int handle, int use, const void *data, size_t size) {
    if (!is_watched(handle) || (use == READS && uses[handle] != READS)) return 0;
    return fails(call, files[handle], use, handle, data, size);
}

static void forget(int handle) {
    if (is_watched(handle)) {
        free(files[handle]);
        files[handle] = NULL;
    }
}

static void remember(int handle, int folder, const char *path, int use) {
    char whole[PATH_MAX];
    if (handle < 0 || handle >= HANDLES) return;
    int error = errno;
    forget(handle);
    if (resolve(folder, path, whole)) files[handle] = strdup(whole), uses[handle] = use;
    errno = error;
}

#define REAL(name) ((__typeof__(&name))real(#name))
static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

static int use_of(int flags) {
    return (flags & O_ACCMODE) == O_RDONLY && !(flags & (O_CREAT | O_TRUNC)) ? READS : CHANGES;
}

static int open_file(int folder, const char *path, int flags, mode_t mode) {
    int use = use_of(flags);
    if (path_fails(use == READS ? "open" : "open-to-write", folder, path, use)) return -1;
    int handle = syscall(SYS_openat, folder, path, flags | O_LARGEFILE, mode);
    remember(handle, folder, path, use);
    return handle;
}

#define MODE(flags, last, mode)                       \
    mode_t mode = 0;                                  \
    if ((flags) & (O_CREAT | O_TMPFILE)) {            \
        va_list more;                                 \
        va_start(more, last);                         \
        mode = va_arg(more, mode_t);                  \
        va_end(more);                                 \
    }
#define OPEN(name)                                        \
    int name(const char *path, int flags, ...) {          \
        MODE(flags, flags, mode)                          \
        return open_file(AT_FDCWD, path, flags, mode);    \
    }
#define OPENAT(name)                                              \
    int name(int folder, const char *path, int flags, ...) {      \
        MODE(flags, flags, mode)                                  \
        return open_file(folder, path, flags, mode);              \
    }
#define CREAT(name)                                                              \
    int name(const char *path, mode_t mode) {                                    \
        return open_file(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode);    \
    }
#define FOPEN(name)                                                                     \
    FILE *name(const char *path, const char *mode) {                                    \
        int use = mode[0] == 'r' && !strchr(mode, '+') ? READS : CHANGES;               \
        if (path_fails(use == READS ? "open" : "open-to-write", AT_FDCWD, path, use)) return NULL; \
        FILE *stream = REAL(name)(path, mode);                                          \
        if (stream) remember(fileno(stream), AT_FDCWD, path, use);                      \
        return stream;                                                                  \
    }
OPEN(open) OPEN(open64) OPENAT(openat) OPENAT(openat64) CREAT(creat) CREAT(creat64)
FOPEN(fopen) FOPEN(fopen64)

DIR *opendir(const char *path) {
    return path_fails("list", AT_FDCWD, path, READS) ? NULL : REAL(opendir)(path);
}
int close(int handle) {
    int failing = is_watched(handle) && uses[handle] == CHANGES && handle_fails("close", handle, CHANGES, NULL, 0);
    forget(handle);
    int result = syscall(SYS_close, handle);
    if (failing) errno = disk.error;
    return failing ? -1 : result;
}
int fclose(FILE *stream) {
    forget(fileno(stream));
    return REAL(fclose)(stream);
}

/* Calls on a handle: what they return, their arguments, and what of these is written. */
#define ON_HANDLE(type, name, use, data, size, arguments, values)             \
    type name arguments {                                                     \
        if (handle_fails(#name, handle, use, data, size)) return -1;          \
        return REAL(name) values;                                             \
    }
ON_HANDLE(ssize_t, read, READS, NULL, 0, (int handle, void *to, size_t n), (handle, to, n))
ON_HANDLE(ssize_t, pread, READS, NULL, 0, (int handle, void *to, size_t n, off_t at), (handle, to, n, at))
ON_HANDLE(ssize_t, pread64, READS, NULL, 0, (int handle, void *to, size_t n, off64_t at), (handle, to, n, at))
ON_HANDLE(ssize_t, readv, READS, NULL, 0, (int handle, const struct iovec *to, int n), (handle, to, n))
ON_HANDLE(ssize_t, write, CHANGES, from, n, (int handle, const void *from, size_t n), (handle, from, n))
ON_HANDLE(ssize_t, pwrite, CHANGES, NULL, 0, (int handle, const void *from, size_t n, off_t at), (handle, from, n, at))
ON_HANDLE(ssize_t, pwrite64, CHANGES, NULL, 0, (int handle, const void *from, size_t n, off64_t at), (handle, from, n, at))
ON_HANDLE(ssize_t, writev, CHANGES, NULL, 0, (int handle, const struct iovec *from, int n), (handle, from, n))
ON_HANDLE(int, fsync, CHANGES, NULL, 0, (int handle), (handle))
ON_HANDLE(int, fdatasync, CHANGES, NULL, 0, (int handle), (handle))
ON_HANDLE(int, ftruncate, CHANGES, NULL, 0, (int handle, off_t size), (handle, size))
ON_HANDLE(int, ftruncate64, CHANGES, NULL, 0, (int handle, off64_t size), (handle, size))
ON_HANDLE(int, fallocate, CHANGES, NULL, 0, (int handle, int mode, off_t at, off_t n), (handle, mode, at, n))
ON_HANDLE(int, fallocate64, CHANGES, NULL, 0, (int handle, int mode, off64_t at, off64_t n), (handle, mode, at, n))
ON_HANDLE(int, fchmod, CHANGES, NULL, 0, (int handle, mode_t mode), (handle, mode))
ON_HANDLE(ssize_t, sendfile, CHANGES, NULL, 0, (int handle, int from, off_t *at, size_t n), (handle, from, at, n))
ON_HANDLE(ssize_t, sendfile64, CHANGES, NULL, 0, (int handle, int from, off64_t *at, size_t n), (handle, from, at, n))

int posix_fallocate(int handle, off_t at, off_t n) { /* returns its error */
    return handle_fails("fallocate", handle, CHANGES, NULL, 0) ? errno : REAL(posix_fallocate)(handle, at, n);
}
int posix_fallocate64(int handle, off64_t at, off64_t n) {
    return handle_fails("fallocate", handle, CHANGES, NULL, 0) ? errno : REAL(posix_fallocate64)(handle, at, n);
}
ssize_t copy_file_range(int from, off64_t *at, int handle, off64_t *to, size_t n, unsigned flags) {
    if (handle_fails("copy_file_range", handle, CHANGES, NULL, 0)) return -1;
    return REAL(copy_file_range)(from, at, handle, to, n, flags);
}

/* Calls on a path. */
#define ON_PATH(name, folder, path, arguments, values)                        \
    int name arguments {                                                      \
        if (path_fails(#name, folder, path, CHANGES)) return -1;              \
        return REAL(name) values;                                             \
    }
ON_PATH(rename, AT_FDCWD, to, (const char *from, const char *to), (from, to))
ON_PATH(renameat, second, to, (int first, const char *from, int second, const char *to), (first, from, second, to))
ON_PATH(renameat2, second, to, (int first, const char *from, int second, const char *to, unsigned flags), (first, from, second, to, flags))
ON_PATH(link, AT_FDCWD, to, (const char *from, const char *to), (from, to))
ON_PATH(linkat, second, to, (int first, const char *from, int second, const char *to, int flags), (first, from, second, to, flags))
ON_PATH(symlink, AT_FDCWD, to, (const char *from, const char *to), (from, to))
ON_PATH(symlinkat, folder, to, (const char *from, int folder, const char *to), (from, folder, to))
ON_PATH(mkdir, AT_FDCWD, path, (const char *path, mode_t mode), (path, mode))
ON_PATH(mkdirat, folder, path, (int folder, const char *path, mode_t mode), (folder, path, mode))
ON_PATH(unlink, AT_FDCWD, path, (const char *path), (path))
ON_PATH(unlinkat, folder, path, (int folder, const char *path, int flags), (folder, path, flags))
ON_PATH(remove, AT_FDCWD, path, (const char *path), (path))
ON_PATH(rmdir, AT_FDCWD, path, (const char *path), (path))
ON_PATH(truncate, AT_FDCWD, path, (const char *path, off_t size), (path, size))
ON_PATH(chmod, AT_FDCWD, path, (const char *path, mode_t mode), (path, mode))
ON_PATH(fchmodat, folder, path, (int folder, const char *path, mode_t mode, int flags), (folder, path, mode, flags))
