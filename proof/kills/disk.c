/*
 * A disk that is slow, fails, or loses its power. Preloaded into a process (LD_PRELOAD), it takes the
 * place of fsync and fdatasync, in all threads. Settings, all optional:
 *
 *   DISK_DELAY_MS  each sync takes this much longer
 *   DISK_FAIL      while this file exists, each sync fails with EIO
 *   DISK_KEEP      a folder: each file as it was at the beginning of its last sync, so what is left of
 *                  it after a power loss
 *   DISK_LOG       a file: one letter for each sync, "m" on the main thread, "t" on another
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void note(void) {
  const char *path = getenv("DISK_LOG");
  if (!path) return;
  int log = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (log < 0) return;
  const char *letter = getpid() == (pid_t)syscall(SYS_gettid) ? "m" : "t";
  if (write(log, letter, 1) != 1) abort();
  close(log);
}

/* Reads through the descriptor: a process that opens and closes the file loses SQLite's locks on it. */
static void keep(int file) {
  const char *folder = getenv("DISK_KEEP");
  if (!folder) return;
  char link[64], path[4096], kept[8192], draft[8300], block[65536];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return;
  path[length] = 0;
  const char *name = strrchr(path, '/');
  snprintf(kept, sizeof kept, "%s%s", folder, name ? name : path);
  snprintf(draft, sizeof draft, "%s.%ld", kept, (long)syscall(SYS_gettid));
  int copy = open(draft, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (copy < 0) return;
  off_t at = 0;
  for (ssize_t got; (got = pread(file, block, sizeof block, at)) > 0; at += got)
    if (write(copy, block, (size_t)got) != got) abort();
  close(copy);
  rename(draft, kept);
}

static int sync_with(const char *name, int file) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  note();
  const char *fail = getenv("DISK_FAIL");
  if (fail && access(fail, F_OK) == 0) {
    errno = EIO;
    return -1;
  }
  keep(file);
  const char *delay = getenv("DISK_DELAY_MS");
  if (delay) {
    long ms = atol(delay);
    struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&pause, NULL);
  }
  return real(file);
}

int fsync(int file) { return sync_with("fsync", file); }
int fdatasync(int file) { return sync_with("fdatasync", file); }
