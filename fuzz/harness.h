/* SPDX-License-Identifier: Apache-2.0 */
/* What the fuzz targets share: bounded memory that is counted, limits for files, and what must hold of any scene. */
#ifndef AFX_FUZZ_HARNESS_H
#define AFX_FUZZ_HARNESS_H

#include "affix/affix.h"
#include "affix/io.h"

/** Memory of one run. */
typedef struct FuzzMemory {
    size_t live; /* bytes not freed yet */
} FuzzMemory;

/** Ends the program with a message when `fine` is false: a finding. */
void fuzz_expect(bool fine, const char *what);
/** An allocator that refuses more than a few dozen megabytes. */
AfxAllocator fuzz_allocator(FuzzMemory *memory);
/** An empty scene over that allocator. */
AfxScene *fuzz_scene(FuzzMemory *memory);
/** Ends a run: everything must have been freed. */
void fuzz_done(const FuzzMemory *memory);
/** Small limits for files. */
AfxLoadDef fuzz_limits(AfxFormat format);
/** Compiles a scene and, when it is small, takes a few steps. Whatever is refused is fine; what is not must be sound.
 */
void fuzz_use(const AfxScene *scene, FuzzMemory *memory);
/** Every number of the state is finite. */
bool fuzz_finite(const AfxSim *sim);
/** Loads a text; a scene that loads is used, and saved and loaded again to the same model. */
void fuzz_load(AfxFormat format, const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
