// getopt_long(3) for Swift: its state is global variables, which Swift 6 rightly refuses to touch.
#pragma once

#include <getopt.h>
#include <stddef.h>

// One step of getopt_long and the globals it left behind. The caller serialises: the state is the process's.
typedef struct {
    int code;        // the option's `val`, 1 for an operand, '?' or ':' for a mistake, -1 at the end
    int culprit;     // optopt
    int next;        // optind
    char *argument;  // optarg
} cgetopt_step;

static inline cgetopt_step cgetopt_next(
    int argc, char **argv, const char *shorts, const struct option *longs, int restart) {
    if (restart) {
        optind = 0;  // glibc: forget everything, also the ordering of the last table
    }
    opterr = 0;
    optopt = 0;
    optarg = NULL;
    cgetopt_step step = {.code = getopt_long(argc, argv, shorts, longs, NULL)};
    step.culprit = optopt;
    step.next = optind;
    step.argument = optarg;
    return step;
}
