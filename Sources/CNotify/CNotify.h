// What Swift's Glibc import leaves out (epoll, signalfd, timerfd, accept4, peer credentials), and the one vector
// routine of the scanner. Everything is `static inline`: there is nothing to link.
#pragma once

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

// epoll(7). `epoll_event` is packed and holds a union, which Swift imports awkwardly: here it is two integers.
typedef struct {
    uint32_t events;
    uint64_t data;
} __attribute__((packed)) cnotify_event;

static inline int cnotify_epoll_create(void) { return epoll_create1(EPOLL_CLOEXEC); }

static inline int cnotify_epoll_control(int set, int operation, int fd, uint32_t events, uint64_t data) {
    struct epoll_event event = {.events = events, .data = {.u64 = data}};
    return epoll_ctl(set, operation, fd, &event);
}

static inline int cnotify_epoll_wait(int set, cnotify_event *events, int count, int milliseconds) {
    _Static_assert(sizeof(cnotify_event) == sizeof(struct epoll_event), "same layout as the kernel's");
    return epoll_wait(set, (struct epoll_event *)events, count, milliseconds);
}

enum {
    CNOTIFY_IN = EPOLLIN,
    CNOTIFY_OUT = EPOLLOUT,
    CNOTIFY_ERR = EPOLLERR,
    CNOTIFY_HUP = EPOLLHUP,
    CNOTIFY_RDHUP = EPOLLRDHUP,
};

// unix(7): who is at the other end, as the kernel recorded it at connect(2).
typedef struct {
    int32_t pid;
    uint32_t uid;
    uint32_t gid;
} cnotify_credentials;

static inline int cnotify_peer_credentials(int fd, cnotify_credentials *out) {
    socklen_t size = sizeof *out;  // the layout of `struct ucred`, which only _GNU_SOURCE declares
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, out, &size);
}

// Its supplementary groups at that time (SO_PEERGROUPS, since Linux 4.13, which glibc's headers do not name everywhere). The
// size is in bytes: what there is room for, then what there is.
static inline int cnotify_peer_groups(int fd, uint32_t *groups, uint32_t *size) {
    enum { cnotify_so_peergroups = 59 };
    _Static_assert(sizeof(gid_t) == sizeof(uint32_t) && sizeof(socklen_t) == sizeof(uint32_t), "as Swift sees them");
    return getsockopt(fd, SOL_SOCKET, cnotify_so_peergroups, groups, size);
}

extern int accept4(int, struct sockaddr *, socklen_t *, int);

static inline int cnotify_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

// sendmsg(2) with MSG_NOSIGNAL: a peer that is gone is an errno, never a SIGPIPE for the process.
static inline ssize_t cnotify_send(int fd, const struct iovec *vectors, size_t count) {
    struct msghdr message = {.msg_iov = (struct iovec *)vectors, .msg_iovlen = count};
    return sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static inline int cnotify_timer_create(void) {
    return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
}

// Arms the timer for an absolute CLOCK_MONOTONIC time; 0 disarms it.
static inline int cnotify_timer_arm(int fd, uint64_t nanoseconds) {
    struct itimerspec when = {0};
    when.it_value.tv_sec = (time_t)(nanoseconds / 1000000000u);
    when.it_value.tv_nsec = (long)(nanoseconds % 1000000000u);
    return timerfd_settime(fd, TFD_TIMER_ABSTIME, &when, NULL);
}

static inline int cnotify_wakeup_create(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

// A descriptor that is readable when one of the (up to four) signals is pending; they are blocked for this thread.
static inline int cnotify_signal_create(const int *signals, int count) {
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < count; i++) {
        sigaddset(&set, signals[i]);
    }
    if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0) {
        return -1;
    }
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

// The number of the next pending signal, 0 when there is none.
static inline int cnotify_signal_read(int fd) {
    struct signalfd_siginfo info;
    return read(fd, &info, sizeof info) == sizeof info ? (int)info.ssi_signo : 0;
}

// Gives the kernel whole pages between what is still allocated (malloc_trim(3)): free(3) alone keeps them.
static inline void cnotify_trim_memory(void) { malloc_trim(0); }

// The first byte at or after `p` that is not a plain string byte: a quote, a backslash, a control byte below space, or
// one of 0x80 and above. The caller guarantees such a byte (a newline sentinel) and 16 readable bytes after it.
// Written with the compiler's vector types: <emmintrin.h> cannot be part of a module beside Glibc's.
static inline const uint8_t *cnotify_skip_plain(const uint8_t *p) {
#if defined(__SSE2__)
    typedef signed char vector __attribute__((vector_size(16)));
    for (;; p += 16) {
        vector bytes;
        memcpy(&bytes, p, sizeof bytes);
        // Signed comparison: bytes of 0x80 and above are negative, so "less than space" finds them too.
        const vector stop = (vector)((bytes < 0x20) | (bytes == '"') | (bytes == '\\'));
        const int mask = __builtin_ia32_pmovmskb128((__attribute__((vector_size(16))) char)stop);
        if (mask != 0) {
            return p + __builtin_ctz((unsigned)mask);
        }
    }
#else
    while (*p >= 0x20 && *p < 0x80 && *p != '"' && *p != '\\') {
        p++;
    }
    return p;
#endif
}

// The first byte at or after `p` that is no decimal digit; 8 bytes after it must be readable.
static inline const uint8_t *cnotify_skip_digits(const uint8_t *p) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const uint64_t high = 0xF0F0F0F0F0F0F0F0u, three = 0x3030303030303030u, six = 0x0606060606060606u;
    for (;; p += 8) {
        uint64_t bytes;
        memcpy(&bytes, p, sizeof bytes);
        // A digit's upper half is 3, also when 6 is added. What is carried out of a byte harms only those behind the
        // first that is no digit.
        const uint64_t other = ((bytes & high) ^ three) | (((bytes + six) & high) ^ three);
        if (other != 0) {
            return p + (__builtin_ctzll(other) >> 3);
        }
    }
#else
    while (*p >= '0' && *p <= '9') {
        p++;
    }
    return p;
#endif
}

// Whether the `count` (at least 16) bytes are the same: in pieces of 16, the last one overlapping.
static inline int cnotify_same(const uint8_t *one, const uint8_t *other, size_t count) {
    uint64_t a[2], b[2], difference = 0;
    for (size_t done = 0; done + 16 < count; done += 16) {
        memcpy(a, one + done, 16);
        memcpy(b, other + done, 16);
        difference |= (a[0] ^ b[0]) | (a[1] ^ b[1]);
    }
    memcpy(a, one + count - 16, 16);
    memcpy(b, other + count - 16, 16);
    return (difference | (a[0] ^ b[0]) | (a[1] ^ b[1])) == 0;
}

// Whether each of the `count` bytes lies between those at the same place in `low` and `high`. Reads up to 15 bytes more of
// all three, which must be within, too.
static inline int cnotify_is_within(
    const uint8_t *bytes, const uint8_t *low, const uint8_t *high, size_t count) {
#if defined(__SSE2__)
    typedef unsigned char vector __attribute__((vector_size(16)));
    for (size_t done = 0; done < count; done += 16) {
        vector given, least, most;
        memcpy(&given, bytes + done, sizeof given);
        memcpy(&least, low + done, sizeof least);
        memcpy(&most, high + done, sizeof most);
        const vector outside = (vector)((given < least) | (given > most));
        if (__builtin_ia32_pmovmskb128((__attribute__((vector_size(16))) char)outside) != 0) {
            return 0;
        }
    }
#else
    for (size_t done = 0; done < count; done++) {
        if (bytes[done] < low[done] || bytes[done] > high[done]) {
            return 0;
        }
    }
#endif
    return 1;
}

// Copies `count` bytes in pieces of 16, reading and writing up to 15 bytes more than asked: for short pieces whose
// surroundings allow it, where a call of memcpy(3) would cost more than the copy.
static inline void cnotify_copy_loosely(uint8_t *to, const uint8_t *from, size_t count) {
    size_t done = 0;
    do {
        memcpy(to + done, from + done, 16);
        done += 16;
    } while (done < count);
}
