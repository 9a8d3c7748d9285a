// Facts of one build, in a target of its own: another commit compiles this file and the command line anew, and no other module.
#ifndef REFRAIN_CBUILD_H
#define REFRAIN_CBUILD_H

/// The first ten digits of the commit that was built; empty where the Makefile found no git checkout.
const char *cbuild_commit(void);

#endif
