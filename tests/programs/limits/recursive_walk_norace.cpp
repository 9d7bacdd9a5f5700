// REQUIRES: bigfoot
// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t
// RUN: env BIGFOOT_OPTIONS=stats=1 %t 2>&1 | %filecheck %s

// Two threads walk a tree of 19,531 nodes and build one each: every node is reached by a way of its
// own, and none of them is a context of its own. (No racy twin: report/recursion_race.cpp is it.)
//
// CHECK: bigfoot: contexts {{[0-9]{1,3}$}}
#include "script.h"
#include "spawn.h"

constexpr int kWays = 5, kDepth = 6, kNodes = 19531;

struct Node {
  Node* below[kWays];
  long value;
};

struct Pool {
  Node nodes[kNodes];
  int used;
};
Pool shared, own[2];

__attribute__((noinline)) Node* build(Pool* pool, int depth) {
  Node* n = &pool->nodes[pool->used++];
  n->value = depth;
  if (depth > 0)
    for (Node*& below : n->below) below = build(pool, depth - 1);
  return n;
}

__attribute__((noinline)) long sum_of(const Node* n) {
  long sum = n->value;
  for (const Node* below : n->below)
    if (below != nullptr) sum += sum_of(below);
  return sum;
}

int main() {
  const Node* root = build(&shared, kDepth);
  const auto work = [&](Pool* pool) {
    const long sum = sum_of(root);
    require(sum == sum_of(build(pool, kDepth)));
    require(pool->used == kNodes);
  };
  run_threads([&] { work(&own[0]); }, [&] { work(&own[1]); });
}
