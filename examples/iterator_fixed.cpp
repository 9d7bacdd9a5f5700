// iterator.cpp, fixed: a mutex is held for the whole loop, not just for each step of it. The
// monitor copies what it needs and prints outside the lock, so that the server does not wait for a
// terminal.
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

struct Connection {
  int id;
  long bytes;
};

std::mutex mutex;
std::vector<Connection> connections{{0, 10}, {1, 20}, {2, 30}};

int main() {
  std::thread monitor([] {
    long total = 0;
    {
      std::lock_guard lock(mutex);
      for (const Connection& connection : connections) total += connection.bytes;
    }
    std::printf("bytes so far: %ld\n", total);
  });
  {
    std::lock_guard lock(mutex);
    connections.push_back({3, 40});
  }
  monitor.join();
}
