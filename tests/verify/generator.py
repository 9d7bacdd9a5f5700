"""Random multi-threaded C programs: terminating, free of undefined behaviour but for their data races.

A program is made from a seed alone. It works on two objects of one type, one global and one on the heap, from two
or three threads. Threads synchronise by mutexes, by acquire and release operations on atomics, by fences, and by
being created and joined. What they do in between is meant to be hard for a placement of checks: nested, strided
and downward loops with constant and variable bounds, loops left early, pointers that are moved, structures,
flattened arrays, arrays behind pointers that are read again and again, calls of functions with and without synchronisation, recursion, switches, memcpy and memset,
memory that is freed, elements of all widths, reads and writes mixed.

Most programs fix their schedule: the threads take turns, step by step, by means that no detector sees. Their races
are then the same in every run and under every detector.

For that, every value read from shared memory matters. Some detectors place their checks ahead of the loop optimisations,
others behind them, and a read that decides nothing is gone by then. So what is read goes to `v`, or to `sum`, which
nothing in the program looks at; a condition that reads is added to `sum`, and of a loop that a read may end where and how
it ends. Both leave the functions in their result and the threads in `sink`. A read may still go where the thread has
another access to those bytes, of the same kind or a write, in the same epoch: the racy bytes stay the same.

Statements are kept as a tree (Node), so that a failing program can be shrunk by leaving parts out.
"""

from __future__ import annotations

import dataclasses
import random

TYPES = """\
struct record { int x; short y; char z[2]; double w; };
struct shared {
  int i[40];
  short s[40];
  char c[64];
  double d[40];
  long n;
  struct record r[12];
  int m[12][12];
  double* pd;
  int* pi;
};
"""

# Arrays that are indexed by one number: name, element type, how many elements.
ARRAYS = (("i", "int", 40), ("s", "short", 40), ("c", "char", 64), ("d", "double", 40))
# Members that point to one of the two objects' arrays: name, element type, the array.
POINTERS = (("pd", "double", "d"), ("pi", "int", "i"))
# Elements of records: how they are written, type.
FIELDS = (("x", "int"), ("y", "short"), ("z[0]", "char"), ("z[1]", "char"), ("w", "double"))
RECORDS = 12
ROWS, COLUMNS = 12, 12
# The largest value of the parameter `n` of a function.
MAX_N = 12


@dataclasses.dataclass
class Node:
    """A statement: `head`, the statements inside, `tail`. Leaving it out leaves a valid program."""

    head: str
    inside: list[Node] | None = None
    tail: str = ""

    def render(self, depth: int) -> str:
        indent = "  " * depth
        if self.inside is None:
            return f"{indent}{self.head}\n"
        inner = "".join(node.render(depth + 1) for node in self.inside)
        return f"{indent}{self.head}\n{inner}{indent}{self.tail}\n"

    def copy(self) -> Node:
        inside = None if self.inside is None else [node.copy() for node in self.inside]
        return Node(self.head, inside, self.tail)


@dataclasses.dataclass
class Function:
    signature: str
    body: list[Node]
    last: str

    def render(self) -> str:
        inner = "".join(node.render(1) for node in self.body)
        return f"{self.signature} {{\n{inner}  {self.last}\n}}\n"


@dataclasses.dataclass
class Program:
    """One random program. Its names begin with `prefix`, so that several fit into one file."""

    seed: int
    prefix: str
    functions: list[Function]
    steps: list[list[list[Node]]]  # of each thread
    schedule: list[tuple[int, int]] | None  # whose step is next; None: as it comes

    def bodies(self) -> list[list[Node]]:
        """Every list of statements that can be shortened."""
        return [f.body for f in self.functions] + [step for thread in self.steps for step in thread]

    def copy(self) -> Program:
        return Program(
            self.seed,
            self.prefix,
            [Function(f.signature, [n.copy() for n in f.body], f.last) for f in self.functions],
            [[[n.copy() for n in step] for step in thread] for thread in self.steps],
            self.schedule,
        )

    def render(self) -> str:
        p = self.prefix
        parts = [
            f"static struct shared {p}_g;\n",
            f"static struct shared* {p}_h;\n",
            f"static pthread_mutex_t {p}_mutex[2] = {{PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER}};\n",
            # Not static: loads of what nobody stores would be constants, and loops around them go away behind some
            # detectors' checks and ahead of others'.
            f"_Atomic int {p}_atomic[2];\n",
        ]
        parts += [f.render() for f in self.functions]
        for t in range(len(self.steps)):
            parts.append(self._thread(t))
        parts.append(self._run())
        return "\n".join(parts)

    def _thread(self, t: int) -> str:
        p = self.prefix
        out = [f"static void* {p}_thread{t}(void* argument) {{\n"]
        out.append(f"  struct shared* g = &{p}_g;\n  struct shared* h = {p}_h;\n  int v = {t};\n  int n = number({5 + 3 * t});\n")
        out.append("  unsigned sum = 0;\n  (void)g; (void)h; (void)n;\n")
        for number, step in enumerate(self.steps[t]):
            turn = self.schedule.index((t, number)) if self.schedule is not None else None
            if turn is not None:
                out.append(f"  turn_begin({turn});\n")
            out.append("  {\n" + "".join(node.render(2) for node in step) + "  }\n")
            if turn is not None:
                out.append("  turn_end();\n")
        out.append("  sink += RESULT;\n  return argument;\n}\n")
        return "".join(out)

    def _run(self) -> str:
        p = self.prefix
        threads = range(len(self.steps))
        create = "".join(f"  pthread_create(&t[{t}], 0, {p}_thread{t}, 0);\n" for t in threads)
        join = "".join(f"  pthread_join(t[{t}], 0);\n" for t in threads)
        aim = "".join(f"  {p}_g.{name} = {p}_g.{array};\n  {p}_h->{name} = {p}_h->{array};\n" for name, _, array in POINTERS)
        return (
            f"static void {p}_run(void) {{\n"
            f"  pthread_t t[{len(self.steps)}];\n"
            f"  {p}_h = calloc(1, sizeof(struct shared));\n"
            f"{aim}"
            f'  printf("region {p}_g %p %zu\\n", (void*)&{p}_g, sizeof(struct shared));\n'
            f'  printf("region {p}_h %p %zu\\n", (void*){p}_h, sizeof(struct shared));\n'
            "  turns_start_over();\n"
            f"{create}{join}"
            "}\n"
        )


HEADER = """\
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "turns.h"

// Not static: nobody can know that it is never read.
_Thread_local unsigned long sink;

// What a function leaves: `v`, and all that was read besides.
#define RESULT ((unsigned long)sum << 7 | (unsigned long)(v & 127))
// A condition whose value matters even if what it decides does not.
#define DECIDES(condition) ({ int holds = (condition); sum += 3 * (unsigned)holds; holds; })

"""


def render_file(programs: list[Program]) -> str:
    seeds = ", ".join(str(p.seed) for p in programs)
    body = "\n".join(p.render() for p in programs)
    runs = "".join(f"  {p.prefix}_run();\n" for p in programs)
    # Not before all have run: so that no two programs have objects in the same place.
    runs += "".join(f"  free({p.prefix}_h);\n" for p in programs)
    return f"// seeds {seeds}\n{HEADER}{TYPES}\n{body}\nint main(void) {{\n{runs}  return 0;\n}}\n"


class _Scope:
    """Where a statement stands: what it may mention and do there."""

    def __init__(self, depth: int = 0, held: int = -1, breakable: bool = False, may_sync: bool = True):
        self.depth = depth
        self.held = held  # the highest mutex that is held
        self.breakable = breakable  # a `break` leaves a loop, and no lock with it
        self.may_sync = may_sync
        self.variables: tuple[tuple[str, int], ...] = ()  # loop variables and their largest values
        self.bases: tuple[str, ...] = ("g", "h")
        self.may_return = False
        self.distinct = True  # `g` and `h` are two objects

    def inner(self, **changes) -> _Scope:
        scope = _Scope(self.depth + 1, self.held, self.breakable, self.may_sync)
        scope.variables, scope.bases, scope.may_return = self.variables, self.bases, self.may_return
        scope.distinct = self.distinct
        for name, value in changes.items():
            setattr(scope, name, value)
        return scope


# How the statements end that leave a loop; a switch's are others.
BREAK = " break;"


def _breaks(body: list[Node]) -> list[Node]:
    """The statements of a loop's body that leave that loop."""
    found = []
    for node in body:
        if node.head.startswith("if (") and node.head.endswith(BREAK):
            found.append(node)
        elif not _is_loop(node):
            found += _breaks(node.inside or [])
    return found


def _is_loop(node: Node) -> bool:
    return any(word in node.head for word in ("for (", "do {"))


def _keep_end(index: str, inside: list[Node]) -> str:
    """What follows a loop that may be left early: where and how it was left goes to `sum`."""
    breaks = _breaks(inside)
    # Two that leave at the same index: what the first reads would not matter where the second is sure to leave.
    for number, node in enumerate(breaks[1:], start=1):
        node.head = node.head.removesuffix(BREAK) + f" {{ sum += {17 * number};{BREAK} }}"
    # A return adds nothing; so the end of the loop adds something even at 0.
    return f"sum += 13 * (unsigned){index} + 6;" if breaks else ""


def _for(kind: str, variable: str, first: str, rest: str, inside: list[Node]) -> Node:
    """A loop over a variable, which outlives the loop if that may be left early."""
    end = _keep_end(variable, inside)
    if not end:
        return Node(f"for ({kind} {variable} = {first}; {rest}) {{", inside, "}")
    return Node(f"{{ {kind} {variable} = {first}; for (; {rest}) {{", inside, f"}} {end} }}")


def _may_be_same(place: str, other: str, distinct: bool) -> bool:
    (base, member), (other_base, other_member) = (p.split("->", 1) for p in (place, other))
    return member.split("[")[0] == other_member.split("[")[0] and (base == other_base or not distinct)


class Generator:
    def __init__(self, seed: int, prefix: str) -> None:
        self._random = random.Random(seed)
        self._seed = seed
        self._prefix = prefix
        self._names = 0
        self._functions: list[Function] = []
        self._quiet: list[str] = []  # functions that do not synchronise
        self._syncing: list[str] = []

    def program(self) -> Program:
        self._make_functions()
        threads = self._random.choice((2, 2, 3))
        steps = [
            [self._block(_Scope(), self._random.randint(1, 3)) for _ in range(self._random.randint(1, 3))]
            for _ in range(threads)
        ]
        schedule = None
        if self._random.random() < 0.75:
            order = [t for t in range(threads) for _ in steps[t]]
            self._random.shuffle(order)
            done = [0] * threads
            schedule = []
            for t in order:
                schedule.append((t, done[t]))
                done[t] += 1
        return Program(self._seed, self._prefix, self._functions, steps, schedule)

    # Functions.

    def _make_functions(self) -> None:
        for _ in range(self._random.randint(1, 2)):
            self._make_function(syncs=self._random.random() < 0.3)
        if self._random.random() < 0.5:
            self._make_recursive()

    def _signature(self, name: str) -> str:
        attribute = self._random.choice(("__attribute__((noinline)) ", "", "inline "))
        return f"static {attribute}unsigned long {name}(struct shared* g, struct shared* h, int n, int v)"

    def _make_function(self, syncs: bool) -> None:
        name = self._fresh(f"{self._prefix}_f")
        scope = _Scope(may_sync=syncs)
        scope.may_return = True
        scope.distinct = False
        body = self._block(scope, self._random.randint(1, 4))
        unused = "unsigned sum = 0; (void)g; (void)h; (void)n;"
        self._functions.append(Function(self._signature(name), [Node(unused), *body], "return RESULT;"))
        (self._syncing if syncs else self._quiet).append(name)

    def _make_recursive(self) -> None:
        name = self._fresh(f"{self._prefix}_r")
        syncs = self._random.random() < 0.3
        scope = _Scope(depth=1, may_sync=syncs)
        scope.distinct = False
        body = self._block(scope, self._random.randint(1, 2))
        guard = Node("unsigned sum = 0; if (n <= 0) return RESULT;")
        last = f"return {name}(g, h, n - {self._random.choice((1, 2))}, v + 1) + ((unsigned long)sum << 7);"
        # Without the guard it would not end: it is part of the signature.
        signature = self._signature(name)
        self._functions.append(Function(f"{signature} {{\n  {guard.head}", body, last + "\n}"))
        (self._syncing if syncs else self._quiet).append(name)

    def _fresh(self, stem: str) -> str:
        self._names += 1
        return f"{stem}{self._names}"

    # Statements.

    def _block(self, scope: _Scope, count: int) -> list[Node]:
        return [self._statement(scope) for _ in range(count)]

    def _statement(self, scope: _Scope) -> Node:
        simple = [(self._assign, 6), (self._read, 3), (self._copy, 1), (self._call, 2), (self._aim, 1)]
        nested = [
            (self._counted_loop, 5),
            (self._pointer_loop, 2),
            (self._matrix_loop, 2),
            (self._search_loop, 2),
            (self._indirect_loop, 2),
            (self._if, 2),
            (self._switch, 1),
            (self._scratch, 1),
        ]
        sync = [(self._locked, 3), (self._atomic, 2)]
        choices = list(simple)
        if scope.depth < 2:
            choices += nested
        if scope.may_sync and scope.depth < 3:
            choices += sync
        if scope.breakable:
            choices.append((self._break, 1))
        if scope.may_return and scope.held < 0:
            choices.append((self._return, 1))
        make = self._random.choices([c for c, _ in choices], [w for _, w in choices])[0]
        return make(scope)

    def _index(self, scope: _Scope, size: int) -> str:
        """An index below `size`."""
        kind = self._random.random()
        if scope.variables and kind < 0.75:
            name, largest = self._random.choice(scope.variables)
            factors = [f for f in (1, 1, 1, 2, 3) if f * largest < size]
            if factors:
                factor = self._random.choice(factors)
                offset = self._random.randrange(size - factor * largest)
                product = name if factor == 1 else f"{factor} * {name}"
                return product if self._random.random() < 0.5 else f"{product} + {offset}"
        if kind < 0.85:
            return f"(v & {min(size, 8) - 1 if size >= 8 else 3})"
        return str(self._random.randrange(size))

    def _place(self, scope: _Scope) -> tuple[str, str]:
        """An element of shared memory, with its type."""
        base = self._random.choice(scope.bases)
        kind = self._random.random()
        if kind < 0.6:
            name, element, size = self._random.choice(ARRAYS)
            return f"{base}->{name}[{self._index(scope, size)}]", element
        if kind < 0.8:
            field, element = self._random.choice(FIELDS)
            return f"{base}->r[{self._index(scope, RECORDS)}].{field}", element
        if kind < 0.9:
            return f"{base}->m[{self._index(scope, ROWS)}][{self._index(scope, COLUMNS)}]", "int"
        return f"{base}->n", "long"

    def _value(self, scope: _Scope) -> tuple[str, str]:
        """Text and, of what is read from shared memory, type."""
        kind = self._random.random()
        if kind < 0.35:
            return str(self._random.randrange(100)), ""
        if kind < 0.5 and scope.variables:
            return f"(int){self._random.choice(scope.variables)[0]}", ""
        if kind < 0.7:
            return "v", ""
        place, element = self._place(scope)
        if element == "double" and self._random.random() < 0.5:
            return place, "double"
        return f"((int){place} & 63)", "int"

    def _assign(self, scope: _Scope) -> Node:
        place, element = self._place(scope)
        value, read = self._value(scope)
        kind = self._random.random()
        before, after = "", ""
        if read:
            # The store may be overwritten unseen; what it stores is not lost with it.
            before, after = f"{{ {read} w = {value}; ", " sum += 5 * (unsigned)(int)w; }"
            same = _may_be_same(place, value, scope.distinct)
            # A store of what is there already is no store for the optimiser.
            value = "w * 0.5" if read == element == "double" and same else "w"
        if element == "double":
            store = f"{place} = {place} * 0.5 + {value};" if kind < 0.4 else f"{place} = {value};"
        elif kind < 0.4:
            store = f"{place} = ({element})((int)({place} + ({value})) & 127);"
        else:
            store = f"{place} = ({element})((int)({value}) & 127);"
        return Node(before + store + after)

    def _read(self, scope: _Scope) -> Node:
        place, _ = self._place(scope)
        return Node(f"v = (v + (int){place}) & 127;")

    def _copy(self, scope: _Scope) -> Node:
        name, element, size = self._random.choice(ARRAYS)
        count = self._random.randint(1, size // 2)
        base = self._random.choice(scope.bases)
        bytes_ = f"{count} * sizeof({element})"
        if self._random.random() < 0.4:
            return Node(f"memset({base}->{name} + {self._random.randrange(size // 2)}, 1, {bytes_});")
        if self._random.random() < 0.5:
            copy, first = f"memcpy({base}->{name}, {base}->{name} + {size // 2}, {bytes_});", 0
        else:
            copy, first = f"memmove({base}->{name} + 1, {base}->{name}, {bytes_});", 1
        # A copy that is overwritten unseen is shortened from its ends.
        ends = (f"{base}->{name}[{end}]" for end in (first, first + count - 1))
        return Node(f"{copy} sum += " + " + ".join(f"{f} * (unsigned)(int){e}" for f, e in zip((7, 11), ends)) + ";")

    def _call(self, scope: _Scope) -> Node:
        names = list(self._quiet)
        if scope.may_sync and scope.held < 0:
            names += self._syncing
        if not names:
            return self._assign(scope)
        n = self._random.choice(("n", "(n > 0 ? n - 1 : 0)", str(self._random.randint(0, MAX_N)), "(v & 7)"))
        # A recursive function is entered with few levels to go.
        name = self._random.choice(names)
        if "_r" in name:
            n = str(self._random.randint(0, 4))
        bases = self._random.choice(("g, h", "h, g", "g, g"))
        return Node(
            f"{{ unsigned long got = {name}({bases}, {n}, v); v = (int)(got & 127); sum += (unsigned)(got >> 7); }}"
        )

    def _bound(self, scope: _Scope) -> tuple[str, int]:
        """The end of a loop that counts from zero: text, and the largest value its variable takes."""
        if self._random.random() < 0.8:
            return "n", MAX_N - 1
        constant = self._random.choice((1, 2, 3, 5, 8, 10, 12))
        return str(constant), constant - 1

    def _counted_loop(self, scope: _Scope) -> Node:
        k = self._fresh("k")
        bound, largest = self._bound(scope)
        kind = self._random.choice(("int", "int", "long", "unsigned", "size_t", "short"))
        step = self._random.choice((1, 1, 1, 2, 3))
        unsigned = kind in ("unsigned", "size_t")
        end = f"({kind}){bound}"
        form = self._random.random()
        if form < 0.2 and not unsigned and step == 1:
            first, rest = f"({kind})({bound} - 1)", f"{k} >= 0; --{k}"
        elif form < 0.3:
            inside = self._loop_body(scope, k, largest)
            after = _keep_end(k, inside)
            return Node(
                f"if ({bound} > 0) {{ {kind} {k} = 0; do {{",
                inside,
                f"{k} = ({kind})({k} + {step}); }} while ({k} < {end}); {after} }}",
            )
        else:
            first, rest = "1" if form < 0.4 else "0", f"{k} < {end}; {k} = ({kind})({k} + {step})"
        return _for(kind, k, first, rest, self._loop_body(scope, k, largest))

    def _loop_body(self, scope: _Scope, variable: str, largest: int) -> list[Node]:
        inner = scope.inner(variables=(*scope.variables, (variable, largest)), breakable=True)
        return self._block(inner, self._random.randint(1, 3))

    def _pointer_loop(self, scope: _Scope) -> Node:
        name, element, size = self._random.choice(ARRAYS)
        base = self._random.choice(scope.bases)
        p, e = self._fresh("p"), self._fresh("e")
        bound, _ = self._bound(scope)
        offset = self._random.randrange(size - MAX_N)
        cast = "" if element == "double" else f"({element})"
        action = self._random.choice(
            (f"*{p} = {cast}(v & 31);", f"v = (v + (int)*{p}) & 127;", f"*{p} = {cast}((int)*{p} / 2);")
        )
        if self._random.random() < 0.6:
            begin, bounds = f"{base}->{name} + {offset}", f"*{e} = {p} + {bound}; {p} < {e}; ++{p}"
        else:
            begin, bounds = f"{base}->{name} + {offset + MAX_N - 1}", f"*{e} = {p} - {bound}; {p} > {e}; --{p}"
        extra = self._block(scope.inner(breakable=True), self._random.choice((0, 0, 1)))
        inside = [Node(action), *extra]
        end = _keep_end(f"({p} - {base}->{name})", inside)
        if not end:
            return Node(f"for ({element} *{p} = {begin}, {bounds}) {{", inside, "}")
        return Node(f"{{ {element} *{p} = {begin}; for ({element} {bounds}) {{", inside, f"}} {end} }}")

    def _matrix_loop(self, scope: _Scope) -> Node:
        r, c = self._fresh("r"), self._fresh("c")
        base = self._random.choice(scope.bases)
        place = self._random.choice((f"{base}->m[{r}][{c}]", f"(&{base}->m[0][0])[{r} * {COLUMNS} + {c}]"))
        action = self._random.choice((f"{place} = (v + {r}) & 63;", f"v = (v + {place}) & 127;"))
        last = self._random.choice(("n", "n", f"{r} + 1"))
        rows = f"for (int {r} = 0; {r} < n; ++{r}) {{"
        columns = f"for (int {c} = 0; {c} < {last}; ++{c}) {{"
        if last == "n" and self._random.random() < 0.4:
            rows, columns = columns, rows
        return Node(rows, [Node(columns, [Node(action)], "}")], "}")

    def _search_loop(self, scope: _Scope) -> Node:
        name, _, size = self._random.choice(ARRAYS)
        base = self._random.choice(scope.bases)
        k = self._fresh("k")
        limit = self._random.choice(("n", "n", str(self._random.randint(1, MAX_N))))
        key = self._random.choice(("v", "1", "0"))
        test = Node(f"if ((int){base}->{name}[{k}] == {key}){BREAK}")
        inner = scope.inner(variables=(*scope.variables, (k, MAX_N - 1)), breakable=True)
        return _for("int", k, "0", f"{k} < {limit}; ++{k}", [test, *self._block(inner, 1)])

    def _indirect_loop(self, scope: _Scope) -> Node:
        """Through a pointer that is read each time round, often on both ways through the body."""
        name, element, _ = self._random.choice(POINTERS)
        base = self._random.choice(scope.bases)
        k = self._fresh("k")
        bound, largest = self._bound(scope)
        place = f"{base}->{name}[{k}]"
        cast = "" if element == "double" else "(int)"
        write = Node(f"{place} = {cast}(v & 31);")
        read = Node(f"v = (v + (int){place}) & 127;")
        test = self._random.choice((f"{k} == 0", f"{k} > v", f"({k} & 1) == 0", self._condition(scope)))
        inner = scope.inner(variables=(*scope.variables, (k, largest)), breakable=True)
        body = self._random.choice(
            (
                [write],
                [Node(f"if ({test}) {write.head} else {read.head}")],
                [Node(f"if ({test}) {{", [read], "}"), write],
            )
        )
        extra = self._block(inner, self._random.choice((0, 0, 1)))
        kind = self._random.choice(("int", "long", "size_t"))
        return _for(kind, k, "0", f"{k} < ({kind}){bound}; ++{k}", [*body, *extra])

    def _aim(self, scope: _Scope) -> Node:
        name, _, array = self._random.choice(POINTERS)
        base, target = self._random.choice(scope.bases), self._random.choice(scope.bases)
        return Node(f"{base}->{name} = {target}->{array};")

    def _condition(self, scope: _Scope, kept: bool = True) -> str:
        """`kept`: its value matters, whatever it decides."""
        place, _ = self._place(scope)
        condition = self._random.choice((f"(int){place} > v", "v & 1", "n > 4", f"(int){place} == 0"))
        return f"DECIDES({condition})" if kept and place in condition else condition

    def _if(self, scope: _Scope) -> Node:
        yes = self._block(scope.inner(), self._random.randint(1, 2))
        if self._random.random() < 0.5:
            return Node(f"if ({self._condition(scope)}) {{", yes, "}")
        no = self._block(scope.inner(), self._random.randint(1, 2))
        return Node("{", [Node(f"int taken = {self._condition(scope)};"), Node("if (taken) {", yes, "}"),
                          Node("if (!taken) {", no, "}")], "}")

    def _switch(self, scope: _Scope) -> Node:
        arms = []
        for value in range(self._random.randint(2, 4)):
            inner = self._block(scope.inner(breakable=False), 1)
            leave = "break; }" if self._random.random() < 0.8 else "} __attribute__((fallthrough));"
            if value == 0:
                leave = "break; }"
            arms.append(Node(f"case {value}: {{", inner, leave))
        arms.append(Node("default: break;"))
        # The last arm falls into the default one.
        return Node("switch (v & 3) {", arms, "}")

    def _scratch(self, scope: _Scope) -> Node:
        """Memory of the thread's own that ends."""
        q = self._fresh("q")
        k = self._fresh("k")
        count = self._random.choice(("n", str(self._random.randint(1, MAX_N))))
        base = self._random.choice(scope.bases)
        fill = Node(f"for (int {k} = 0; {k} < {count}; ++{k}) {q}[{k}] = {base}->i[{k}];")
        use = Node(f"for (int {k} = 0; {k} < {count}; ++{k}) {base}->i[{k}] = {q}[{k}] & 63;")
        keep = f"for (int {k} = 0; {k} < {count}; ++{k}) sum += 5 * (unsigned){q}[{k}];"
        more = self._block(scope.inner(breakable=False, may_return=False), 1)
        if self._random.random() < 0.6:
            head = f"{{ int* {q} = malloc({MAX_N} * sizeof(int)); {q}[0] = v;"
            tail = f"{keep} v = (v + {q}[0]) & 127; free({q}); }}"
        else:
            head = f"{{ int {q}[{MAX_N}]; {q}[0] = v; sink += (long){q} & 1;"
            tail = f"{keep} v = (v + {q}[0]) & 127; }}"
        return Node(head, [fill, *more, use], tail)

    def _break(self, scope: _Scope) -> Node:
        # The end of the loop tells of it.
        return Node(f"if ({self._condition(scope, kept=False)}){BREAK}")

    def _return(self, scope: _Scope) -> Node:
        return Node(f"if ({self._condition(scope)}) return RESULT;")

    # Synchronisation.

    def _locked(self, scope: _Scope) -> Node:
        if scope.held >= 1:
            return self._assign(scope)
        mutex = self._random.randint(scope.held + 1, 1)
        inner = scope.inner(held=mutex, breakable=False, may_return=False)
        body = self._block(inner, self._random.randint(1, 3))
        lock = f"{self._prefix}_mutex[{mutex}]"
        return Node(f"pthread_mutex_lock(&{lock}); {{", body, f"}} pthread_mutex_unlock(&{lock});")

    def _atomic(self, scope: _Scope) -> Node:
        a = f"&{self._prefix}_atomic[{self._random.randrange(2)}]"
        load = f"v = (v + atomic_load_explicit({a}, "
        store = f"atomic_store_explicit({a}, v, "
        add = f"v = (v + atomic_fetch_add_explicit({a}, 1, "
        return Node(
            self._random.choice(
                (
                    f"{load}memory_order_acquire)) & 127;",
                    f"{load}memory_order_relaxed)) & 127;",
                    f"{load}memory_order_seq_cst)) & 127;",
                    f"{store}memory_order_release);",
                    f"{store}memory_order_relaxed);",
                    f"{store}memory_order_seq_cst);",
                    f"{add}memory_order_acq_rel)) & 127;",
                    f"{add}memory_order_relaxed)) & 127;",
                    "atomic_thread_fence(memory_order_acquire);",
                    "atomic_thread_fence(memory_order_release);",
                    "atomic_thread_fence(memory_order_seq_cst);",
                    f"{{ int seen = v; atomic_compare_exchange_strong_explicit({a}, &seen, 7, memory_order_release, memory_order_acquire); v = seen & 127; }}",
                )
            )
        )


def generate(seed: int, prefix: str | None = None) -> Program:
    return Generator(seed, prefix or f"p{seed}").program()
