// memcached, asked over a unix socket by client.cpp: worker threads with an event loop each (of
// libevent, compiled with it), and memcached's own threads that keep its lists of items in order,
// enlarge its hash table and move its slabs.
//
// Small slab pages and a small hash table at the start give those threads something to do.
#include "bench/real/common/server.h"

extern "C" int memcached_main(int argc, char** argv);

namespace {

std::vector<std::string> arguments(const std::string& socket, int threads) {
  // -u: as root it wants to be told that this is meant, otherwise it is without effect.
  return {"memcached", "-s", socket, "-t", std::to_string(threads), "-m",
          "256",       "-u", "root", "-o", "hashpower=12"};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::serve(argc, argv, "memcached", memcached_main, arguments);
}
