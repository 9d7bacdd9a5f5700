// BFJ compiled to flat code: what the machine that explores schedules and the managed run time
// execute.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frontends/bfj/ast.h"
#include "frontends/bfj/sites.h"

namespace bigfoot::bfj {

struct Code {
  enum class Op : std::uint8_t {
    Assign,        // slot a = expr
    Copy,          // slot a = slot b
    ReadField,     // slot a = slot b . field
    WriteField,    // slot b . field = expr
    ReadElement,   // slot a = slot b [ index ]
    WriteElement,  // slot b [ index ] = expr
    New,
    NewArray,
    Lock,
    Unlock,
    Join,  // slot b
    Call,
    Fork,  // slot a = slot b . callee(arguments)
    Check,
    JumpIfFalse,
    Jump,  // to target
    PushHandler,
    PopHandler,
    Throw,
    Halt,
    Return,
    Nop,
  };
  struct Instruction {
    Op op;
    std::int32_t a = -1, b = -1;
    std::uint32_t target = 0;  // jump target, field, callee, or allocation site
    bool is_volatile = false;
    bool chooses = false;
    const Expr* index = nullptr;
    const Expr* value = nullptr;
    const std::vector<ExprPtr>* arguments = nullptr;
    const CheckStmt* check = nullptr;
    const Stmt* stmt = nullptr;  // it comes from
    SourcePos pos = {};
  };
  std::string name;
  std::vector<Instruction> instructions;
  std::map<std::string, std::int32_t> slots;
  std::int32_t result = -1;
  std::size_t parameters = 0;
};

struct CompiledProgram {
  std::vector<std::unique_ptr<Code>> code;  // methods, then threads
  std::size_t first_thread = 0;
  std::vector<std::string> fields;  // of all classes; an object has all of them
  AllocationSites sites;
};

// Keeps pointers into `program`, which must outlive the result.
CompiledProgram compile(const Program& program);

// The variables of a thread that it never assigns: they denote objects all threads see.
std::vector<std::pair<std::string, std::int32_t>> shared_variables(const Code& thread);

}  // namespace bigfoot::bfj
