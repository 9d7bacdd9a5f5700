// redis, asked over a unix socket by client.cpp: one thread executes all commands, threads of its
// own read and parse requests and write answers (io-threads), others free large values.
//
// Nothing is kept on disk.
#include <algorithm>

#include "bench/real/common/server.h"

extern "C" int redis_main(int argc, char** argv);

namespace {

std::vector<std::string> arguments(const std::string& socket, int threads) {
  return {"redis-server",
          "--port",
          "0",
          "--unixsocket",
          socket,
          "--save",
          "",
          "--appendonly",
          "no",
          "--daemonize",
          "no",
          "--loglevel",
          "warning",
          "--set-proc-title",
          "no",
          "--io-threads",
          std::to_string(std::min(threads, 128)),
          "--io-threads-do-reads",
          "yes",
          "--lazyfree-lazy-user-del",
          "yes"};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::serve(argc, argv, "redis", redis_main, arguments);
}
