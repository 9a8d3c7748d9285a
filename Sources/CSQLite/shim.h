// SQLite, and what its macros and its variadic functions hide from Swift.
#ifndef REFRAIN_CSQLITE_SHIM_H
#define REFRAIN_CSQLITE_SHIM_H

#include <errno.h>
#include <stddef.h>
#include <sqlite3.h>

/// Tells SQLite that the bound bytes stay where they are until the statement is reset.
static inline sqlite3_destructor_type csqlite_static(void) { return SQLITE_STATIC; }

/// Tells SQLite to copy the bound bytes before the call returns.
static inline sqlite3_destructor_type csqlite_transient(void) { return SQLITE_TRANSIENT; }

/// Leaves out SQLite's totals of memory, whose lock all threads would take for each allocation. Once, before anything else.
static inline int csqlite_configure(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }

/// Does not copy the log into the database when the last connection is closed.
static inline void csqlite_leave_log_on_close(sqlite3 *database) { sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL); }

/// The error number of the latest call to the system that failed for this open file; 0 for none.
static inline int csqlite_error_number(sqlite3_file *file) {
    int number = 0;
    if (file == NULL || file->pMethods == NULL) return 0;
    return file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &number) == SQLITE_OK ? number : 0;
}

/// Whether the disk failed a read of the file or of its log on this connection: the numbers for which SQLite itself says that
/// the file is malformed.
static inline int csqlite_failed_read(sqlite3 *database) {
    sqlite3_file *files[2] = {NULL, NULL};
    sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &files[0]);
    sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &files[1]);
    for (int which = 0; which < 2; which++) {
        int number = csqlite_error_number(files[which]);
        if (number == EIO || number == ENXIO || number == ERANGE) return 1;
    }
    return 0;
}

#endif
