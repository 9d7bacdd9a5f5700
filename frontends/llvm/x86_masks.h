// Masked loads, stores and gathers of AVX and AVX2, which immintrin.h writes as x86's own
// intrinsics.
#pragma once

#include <llvm/IR/Function.h>

namespace bigfoot::frontend {

// Replaces them by LLVM's own, which mean the same and become the same instructions; everything
// after knows those. (What immintrin.h has for AVX-512 is written with LLVM's own to begin with.)
void make_masks_generic(llvm::Function& f);

}  // namespace bigfoot::frontend
