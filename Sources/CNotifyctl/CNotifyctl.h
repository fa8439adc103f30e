// What notifyctl needs from C: the calls that the Glibc import leaves out. Everything is `static inline`: there is
// nothing to link.
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <signal.h>
#include <sys/mman.h>
#include <stdint.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

// CLOCK_MONOTONIC in nanoseconds. (In a static build Swift does not see the members of `timespec`.)
static inline uint64_t cnotifyctl_monotonic_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// wcwidth(3), which the Glibc import leaves out: how many cells of a terminal a character takes; -1: it is none.
static inline int cnotifyctl_cells(uint32_t character) { return wcwidth((wchar_t)character); }

// An anonymous file that exists only as a descriptor: a child's standard input without a pipe to fill.
static inline int cnotifyctl_anonymous_file(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

// `environ`, which the Swift import finds twice.
static inline char **cnotifyctl_environment(void) { return environ; }

// A descriptor that is readable when one of the signals is pending. Blocks them for this thread and those it starts.
static inline int cnotifyctl_signals(const sigset_t *set) {
    if (pthread_sigmask(SIG_BLOCK, set, NULL) != 0) {
        return -1;
    }
    return signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK);
}

// A signal as it came; `number` 0: none is pending.
typedef struct {
    int number;
    int sent;  // 1: by kill(2); 0: by the terminal or the kernel, to the whole process group
} cnotifyctl_signal;

static inline cnotifyctl_signal cnotifyctl_next_signal(int fd) {
    struct signalfd_siginfo info;
    cnotifyctl_signal result = {0};
    if (read(fd, &info, sizeof info) == (ssize_t)sizeof info) {
        result.number = (int)info.ssi_signo;
        result.sent = info.ssi_code <= 0;
    }
    return result;
}
