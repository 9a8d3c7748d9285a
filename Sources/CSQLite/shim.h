// SQLite, and the two values that its macros hide from Swift.
#ifndef REFRAIN_CSQLITE_SHIM_H
#define REFRAIN_CSQLITE_SHIM_H

#include <sqlite3.h>

/// Tells SQLite that the bound bytes stay where they are until the statement is reset.
static inline sqlite3_destructor_type csqlite_static(void) { return SQLITE_STATIC; }

/// Tells SQLite to copy the bound bytes before the call returns.
static inline sqlite3_destructor_type csqlite_transient(void) { return SQLITE_TRANSIENT; }

/// Leaves out SQLite's totals of memory, whose lock all threads would take for each allocation. Once, before anything else.
static inline int csqlite_configure(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

#endif
