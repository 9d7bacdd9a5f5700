// Keeps the optimiser from reading what the program does not.
#pragma once

namespace llvm {
class PassInstrumentationCallbacks;
}

namespace bigfoot::frontend {

// LICM keeps a variable in a register while a loop runs. If the loop only writes it on some ways
// through its body, and the address is known to be good, it is read ahead of the loop all the same,
// even in functions with `sanitize_thread`, for which LLVM does not read ahead anywhere else. Behind
// that nobody can tell the read from one of the program's, and it may race. Around such loops the
// transformation is switched off; others keep it, and with it their vectorisation.
void do_not_read_ahead_of_loops(llvm::PassInstrumentationCallbacks& callbacks);

}  // namespace bigfoot::frontend
