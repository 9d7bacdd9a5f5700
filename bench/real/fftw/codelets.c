/* The codelets that FFTW's planner may choose from: transforms of 2 to 32 points and the steps that combine them,
 * which is what powers of two need. The package's own tables name some two hundred, most of them for other lengths and
 * for real data, and compiling those takes minutes. */
#include "dft/codelet-dft.h"
#include "rdft/codelet-rdft.h"
#include "reodft/reodft.h"

#define CODELETS(use) use(2) use(4) use(8) use(16) use(32)
#define DECLARE(points)                          \
  extern void X(codelet_n1_##points)(planner *); \
  extern void X(codelet_t1_##points)(planner *);
#define LIST(points) SOLVTAB(X(codelet_n1_##points)), SOLVTAB(X(codelet_t1_##points)),

CODELETS(DECLARE)
const solvtab X(solvtab_dft_standard) = {CODELETS(LIST) SOLVTAB_END};

/* No real data. */
const solvtab X(solvtab_rdft_r2cf) = {SOLVTAB_END};
const solvtab X(solvtab_rdft_r2cb) = {SOLVTAB_END};
const solvtab X(solvtab_rdft_r2r) = {SOLVTAB_END};
void X(reodft_conf_standard)(planner *plnr) { (void)plnr; }
