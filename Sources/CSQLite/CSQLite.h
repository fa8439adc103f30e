// The parts of SQLite that notifyd uses. The library is loaded when the first store is opened: a daemon without
// persistent channels neither needs it nor pays for it. The functions are declared by SQLite's own header.
#pragma once
#include <dlfcn.h>
#include <stddef.h>
#if !__has_include(<sqlite3.h>)
#error "notifyd needs the header of SQLite: apt-get install libsqlite3-dev"
#endif
#include <sqlite3.h>

struct csqlite {
    __typeof__(sqlite3_open_v2) *open;
    __typeof__(sqlite3_close_v2) *close;
    __typeof__(sqlite3_exec) *exec;
    __typeof__(sqlite3_prepare_v3) *prepare;
    __typeof__(sqlite3_finalize) *finalize;
    __typeof__(sqlite3_step) *step;
    __typeof__(sqlite3_reset) *reset;
    __typeof__(sqlite3_bind_int64) *bind_integer;
    __typeof__(sqlite3_bind_blob64) *bind_blob;
    __typeof__(sqlite3_bind_null) *bind_null;
    __typeof__(sqlite3_column_type) *column_type;
    __typeof__(sqlite3_column_int64) *column_integer;
    __typeof__(sqlite3_column_blob) *column_blob;
    __typeof__(sqlite3_column_bytes) *column_bytes;
    __typeof__(sqlite3_errmsg) *message;
    __typeof__(sqlite3_errstr) *words;
    __typeof__(sqlite3_extended_errcode) *code;
};

// Fills in the functions. Returns NULL, or what is missing.
static inline const char *csqlite_load(struct csqlite *calls) {
    void *library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return "libsqlite3.so.0";
#define CSQLITE_FIND(member, name)                                       \
    if ((calls->member = (__typeof__(calls->member))dlsym(library, name)) == NULL) return name
    CSQLITE_FIND(open, "sqlite3_open_v2");
    CSQLITE_FIND(close, "sqlite3_close_v2");
    CSQLITE_FIND(exec, "sqlite3_exec");
    CSQLITE_FIND(prepare, "sqlite3_prepare_v3");
    CSQLITE_FIND(finalize, "sqlite3_finalize");
    CSQLITE_FIND(step, "sqlite3_step");
    CSQLITE_FIND(reset, "sqlite3_reset");
    CSQLITE_FIND(bind_integer, "sqlite3_bind_int64");
    CSQLITE_FIND(bind_blob, "sqlite3_bind_blob64");
    CSQLITE_FIND(bind_null, "sqlite3_bind_null");
    CSQLITE_FIND(column_type, "sqlite3_column_type");
    CSQLITE_FIND(column_integer, "sqlite3_column_int64");
    CSQLITE_FIND(column_blob, "sqlite3_column_blob");
    CSQLITE_FIND(column_bytes, "sqlite3_column_bytes");
    CSQLITE_FIND(message, "sqlite3_errmsg");
    CSQLITE_FIND(words, "sqlite3_errstr");
    CSQLITE_FIND(code, "sqlite3_extended_errcode");
#undef CSQLITE_FIND
    return NULL;
}
