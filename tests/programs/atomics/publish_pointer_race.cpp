// RUN: %clangxx %s %support -o %t
// RUN: %run_racy %t

// A structure is filled and published by a relaxed pointer store; the reader follows the pointer.
#include <atomic>

#include "script.h"
#include "spawn.h"

struct Node {
  int key;
  int value;
};
Node node;
std::atomic<Node*> head;

int main() {
  run_threads(
      [] {
        node.value = 7;  // RACE: write 4
        head.store(&node, std::memory_order_relaxed);
      },
      [] {
        Node* first;
        while (!(first = head.load(std::memory_order_acquire))) sched_yield();
        keep(first->value);  // RACE: read 4
      });
}
