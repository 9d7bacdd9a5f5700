// RUN: %clangxx %s %support -o %t
// RUN: %run_clean %t

// A lock-free stack: nodes are published by a releasing compare-exchange and taken by an acquiring
// one.
#include <atomic>

#include "script.h"
#include "spawn.h"

struct Node {
  int value;
  Node* next;
};
std::atomic<Node*> head;

void push(int value) {
  auto* node = new Node{value, head.load(std::memory_order_relaxed)};
  while (!head.compare_exchange_weak(node->next, node, std::memory_order_release,
                                     std::memory_order_relaxed)) {
  }
}

int main() {
  auto producer = [] {
    for (int i = 1; i <= 100; ++i) push(i);
  };
  int sum = 0;
  auto consumer = [&] {
    for (int taken = 0; taken < 200;) {
      Node* all = head.exchange(nullptr, std::memory_order_acquire);
      if (!all) sched_yield();
      while (all) {
        Node* next = all->next;
        sum += all->value;
        ++taken;
        delete all;
        all = next;
      }
    }
  };
  run_threads(producer, producer, consumer);
  require(sum == 2 * 5050);
}
