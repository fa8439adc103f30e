// The parts of libsystemd that notifyd uses: activation, watchdog, journal, units of clients. The library is loaded when the first of them
// is called, which happens only in what systemd has started: a daemon started by hand neither needs libsystemd nor pays
// for its start (it brings six further libraries). The functions are declared by libsystemd's own headers; without the
// library they answer -ELIBACC ("Can not access a needed shared library").
#pragma once
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
#if !__has_include(<systemd/sd-daemon.h>)
#error "notifyd needs the headers of libsystemd: apt-get install libsystemd-dev"
#endif
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>
#include <systemd/sd-login.h>

static inline void *csystemd_symbol(const char *name) {
    // Loading it again only counts: the library stays as long as the process.
    void *library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
    return library == NULL ? NULL : dlsym(library, name);
}

// sd_listen_fds_with_names(3)
static inline int csystemd_listen_fds_with_names(int unset_environment, char ***names) {
    __typeof__(sd_listen_fds_with_names) *call = csystemd_symbol("sd_listen_fds_with_names");
    return call == NULL ? -ELIBACC : call(unset_environment, names);
}

// sd_is_socket(3)
static inline int csystemd_is_socket(int fd, int family, int type, int listening) {
    __typeof__(sd_is_socket) *call = csystemd_symbol("sd_is_socket");
    return call == NULL ? -ELIBACC : call(fd, family, type, listening);
}

// sd_is_socket_unix(3), whatever the path
static inline int csystemd_is_socket_unix(int fd, int type, int listening) {
    __typeof__(sd_is_socket_unix) *call = csystemd_symbol("sd_is_socket_unix");
    return call == NULL ? -ELIBACC : call(fd, type, listening, NULL, 0);
}

// sd_watchdog_enabled(3)
static inline int csystemd_watchdog_enabled(int unset_environment, uint64_t *microseconds) {
    __typeof__(sd_watchdog_enabled) *call = csystemd_symbol("sd_watchdog_enabled");
    return call == NULL ? -ELIBACC : call(unset_environment, microseconds);
}

// sd_journal_sendv(3)
static inline int csystemd_journal_sendv(const struct iovec *fields, int count) {
    __typeof__(sd_journal_sendv) *call = csystemd_symbol("sd_journal_sendv");
    return call == NULL ? -ELIBACC : call(fields, count);
}

// sd_peer_get_unit(3), sd_peer_get_user_unit(3)
static inline int csystemd_peer_get_unit(int fd, char **unit) {
    __typeof__(sd_peer_get_unit) *call = csystemd_symbol("sd_peer_get_unit");
    return call == NULL ? -ELIBACC : call(fd, unit);
}

static inline int csystemd_peer_get_user_unit(int fd, char **unit) {
    __typeof__(sd_peer_get_user_unit) *call = csystemd_symbol("sd_peer_get_user_unit");
    return call == NULL ? -ELIBACC : call(fd, unit);
}

// Whether the process that connected is gone, so that its number may be somebody else's by now: 1 or 0, or -1 where the
// kernel does not tell (SO_PEERPIDFD is of Linux 6.5).
static inline int csystemd_peer_has_gone(int fd) {
    enum { so_peerpidfd = 77 };
    int process = -1;
    socklen_t size = sizeof process;
    if (getsockopt(fd, SOL_SOCKET, so_peerpidfd, &process, &size) != 0) return errno == ENOPROTOOPT ? -1 : 1;
    struct pollfd end = {.fd = process, .events = POLLIN};
    int count = poll(&end, 1, 0);
    close(process);
    return count == 0 ? 0 : 1;
}
