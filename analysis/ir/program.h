// The abstract program the placement works on: control-flow graphs over SSA symbols.
//
// A front end keeps only what matters for race checks: accesses, synchronisation, calls with their
// effects, branch conditions and how symbols are related. Everything else is an Opaque definition.
//
// Root form. Every expression in a function mentions *root* symbols only: parameters, phis, results
// of reads and calls, and opaque values. A symbol defined as a linear expression of others never
// appears in an expression; the front end substitutes its definition when it builds (see
// FunctionBuilder). This is why the rules [ASSIGN] and [RENAME] need no work in the analyses: A[x
// := e] has already happened, and an SSA value never changes while a fact about it is in scope.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "analysis/logic/atom.h"
#include "analysis/logic/range.h"

namespace bigfoot::ir {

using logic::Atom;
using logic::index_of;
using logic::LinearExpr;
using logic::Range;
using logic::SymbolId;

enum class BlockId : std::uint32_t {};
enum class AccessId : std::uint32_t {};    // unique in a function
enum class FunctionId : std::uint32_t {};  // index into Program::functions
// Accesses in different classes never touch the same memory (a field name, "all arrays", a TBAA
// tag).
enum class MemoryClass : std::uint32_t {};

constexpr std::size_t index_of(BlockId id) {
  return static_cast<std::size_t>(id);
}
constexpr std::size_t index_of(AccessId id) {
  return static_cast<std::size_t>(id);
}
constexpr std::size_t index_of(FunctionId id) {
  return static_cast<std::size_t>(id);
}

enum class AccessKind : std::uint8_t { Read, Write };

// What the units of a path's range are. Paths in different spaces never denote the same memory.
enum class Space : std::uint8_t { Fields, Elements };

// base[begin..end : step] of elements of one width; a field is the constant case.
struct Path {
  SymbolId base;
  Space space = Space::Elements;
  Range range;
  auto operator<=>(const Path&) const = default;
};

struct Access {
  AccessId id;
  AccessKind kind;
  Path path;
  MemoryClass memory_class;
  std::optional<SymbolId> result;  // the value read, a root symbol
  // The value written, where it is a root symbol the front end knows (for alias facts; optional).
  std::optional<SymbolId> stored = std::nullopt;
};
struct Acquire {};
struct Release {};

// What running a piece of code may do, beyond touching memory.
struct Effects {
  bool acquires = false;
  bool releases = false;
  // Control may never come back to the point after the call: it diverges, ends the thread, or
  // unwinds past this function. Unwinding into this function is an edge of the graph instead.
  bool may_not_return = false;
  bool modifies_everything = false;
  std::vector<MemoryClass> modifies;  // sorted, no duplicates

  void join(const Effects& other);
  bool operator==(const Effects&) const = default;
};

struct Call {
  std::optional<FunctionId> callee;  // nothing: `effects` says all there is to know
  Effects effects;                   // of a callee outside the program
  std::optional<LinearExpr> receiver;
  std::vector<LinearExpr> arguments;
  std::optional<SymbolId> result;
  bool forks = false;  // starts a thread that runs the callee; only a release for this thread
};
// x = e in the source; for display (and the [ASSIGN] facts) only.
struct Define {
  SymbolId symbol;
  LinearExpr value;
};
struct Opaque {
  SymbolId symbol;
};

using Instruction = std::variant<Access, Acquire, Release, Call, Define, Opaque>;

struct Phi {
  SymbolId symbol;
  // One value per predecessor, in the order of Block::predecessors.
  std::vector<LinearExpr> incoming;
};

struct Jump {
  BlockId target;
};
// `then_facts` hold on the edge to `then_block`; they may be fewer than the condition says.
struct Branch {
  BlockId then_block;
  BlockId else_block;
  std::vector<Atom> then_facts;
  std::vector<Atom> else_facts;
};
// Goes to one of several blocks for reasons the analysis does not see (unwinding, switches).
struct Choice {
  std::vector<BlockId> targets;
};
struct Return {
  std::optional<LinearExpr> value;
};
struct Throw {};  // leaves the function by unwinding
struct Halt {};   // ends the thread, or cannot be reached

using Terminator = std::variant<Jump, Branch, Choice, Return, Throw, Halt>;

struct Block {
  std::vector<Phi> phis;
  std::vector<Instruction> instructions;
  Terminator terminator = Halt{};
  std::vector<BlockId> predecessors;  // filled by FunctionBuilder::finish, no duplicates
};

struct Symbol {
  std::string name;
  // The value exists in every block this one dominates. Parameters: the entry block.
  BlockId scope{};
  bool is_phi = false;
};

// What a front end knows of a loop beyond what the graph shows.
struct LoopHint {
  BlockId header;
  bool terminates = false;
  // Other threads can tell how far it is, and may end the program before it has come to its end: no
  // check may wait for that, finite or not.
  bool watched = false;
};

struct Function {
  std::string name;
  std::vector<SymbolId> parameters;
  std::vector<Symbol> symbols;
  std::vector<Block> blocks;  // blocks[0] is the entry and has no predecessors
  std::vector<LoopHint> loop_hints;
  std::uint32_t access_count = 0;

  const Symbol& symbol(SymbolId id) const { return symbols[index_of(id)]; }
  const Block& block(BlockId id) const { return blocks[index_of(id)]; }
};

struct Program {
  std::vector<Function> functions;
  // Functions a thread starts in; nothing is known about the state they are entered with.
  std::vector<FunctionId> thread_entries;

  const Function& function(FunctionId id) const { return functions[index_of(id)]; }
};

constexpr BlockId kEntry{0};

std::vector<BlockId> successors(const Terminator& terminator);
// Facts of the edge from a block with this terminator to `target`.
const std::vector<Atom>& edge_facts(const Terminator& terminator, BlockId target);
// The value `symbol`'s phi takes on the edge from -> to.
LinearExpr incoming_value(const Function& function, const Phi& phi, BlockId to, BlockId from);
// Every symbol an instruction defines (at most one).
std::optional<SymbolId> defined_symbol(const Instruction& instruction);

}  // namespace bigfoot::ir
