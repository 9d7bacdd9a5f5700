// A monitor prints the open connections while the server accepts new ones.
//
// The race: `push_back` may move all elements to a larger block and free the old one, which
// invalidates the iterators of the loop in the other thread. The reports show the vector's own
// fields, the elements, and the freed block.
#include <cstdio>
#include <thread>
#include <vector>

struct Connection {
  int id;
  long bytes;
};

std::vector<Connection> connections{{0, 10}, {1, 20}, {2, 30}};

int main() {
  std::thread monitor([] {
    long total = 0;
    for (const Connection& connection : connections) total += connection.bytes;
    std::printf("bytes so far: %ld\n", total);
  });
  connections.push_back({3, 40});
  monitor.join();
}
