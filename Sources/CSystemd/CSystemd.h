// The parts of libsystemd that notifyd uses: activation, readiness, watchdog, descriptor store, journal.
#pragma once
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>
