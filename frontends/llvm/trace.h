// Builds that watch the checks themselves: counted ones, and ones whose run is verified.
//
// Neither changes what is checked where. The additions stand beside the accesses and the checks,
// after all decisions have been made, so what is counted and verified is the program that is built
// without them.
#pragma once

#include "frontends/llvm/checks.h"

namespace bigfoot::frontend {

struct TraceOptions {
  bool count = false;   // count accesses and checks in the thread's abi::AccessCounters
  bool verify = false;  // tell the run time of every access and every check
  bool any() const { return count || verify; }
};

// Everything is added before the instruction it is about.
class Tracer {
 public:
  Tracer(EntryPoints& entries, TraceOptions options) : entries_(entries), options_(options) {}

  void access(const PlainAccess& access);
  void check(const PlainAccess& access);  // the check of that access alone, at its place
  void check(const SingleCheck& check);
  void check(const RangeCheck& check);
  void check(const GroupCheck& check);
  // What it accesses and, if that is done at its place, the check of it.
  void memory(llvm::AnyMemIntrinsic& memory, bool checked_here);
  // Checked at its place by every detector.
  void vector(llvm::IntrinsicInst& vector);

 private:
  struct Bytes {
    llvm::Value* address;
    llvm::Value* extent;
    std::uint64_t step;
    std::uint64_t width;
    bool writes;
  };
  void log_access(llvm::IRBuilder<>& at, llvm::Value* address, llvm::Value* bytes, bool writes);
  void log_check(llvm::IRBuilder<>& at, const Bytes& bytes);
  void add(llvm::IRBuilder<>& at, unsigned counter, llvm::Value* amount);
  void add_one(llvm::IRBuilder<>& at, unsigned counter);

  EntryPoints& entries_;
  TraceOptions options_;
};

}  // namespace bigfoot::frontend
