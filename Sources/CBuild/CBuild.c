#include "CBuild.h"

// From Package.swift.
#ifndef REFRAIN_COMMIT
#define REFRAIN_COMMIT ""
#endif

const char *cbuild_commit(void) { return REFRAIN_COMMIT; }
