// The load on a server (server.h): connections over a unix socket, with many requests under way on
// each, whose answers are known beforehand byte for byte.
#pragma once

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "bench/programs/common/mix.h"
#include "bench/real/common/compressible.h"
#include "bench/real/common/scratch_folder.h"
#include "bench/real/common/server.h"

namespace bench {

// Requests that are sent together, and the answers to all of them. Both are meant to be some ten
// kilobytes: less than what a socket holds, or the two sides could wait for each other.
struct Batch {
  std::string requests;
  std::string answers;
};

class Connection {
 public:
  Connection() : socket_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    require(socket_ >= 0, "socket", std::strerror(errno));
    const timeval limit{kPatienceSeconds, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  }
  ~Connection() {
    if (socket_ >= 0) close(socket_);
  }
  Connection(Connection&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}

  bool connect() {
    const char* path = std::getenv(kSocketVariable);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    require(path != nullptr && std::strlen(path) < sizeof address.sun_path, kSocketVariable);
    std::strcpy(address.sun_path, path);
    return ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  }

  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      require(sent > 0, "the server takes no requests", std::strerror(errno));
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  // Reads as much as is expected. True if it is that.
  bool receives(std::string_view expected) {
    char chunk[16 << 10];
    bool same = true;
    while (!expected.empty()) {
      const ssize_t got = recv(socket_, chunk, std::min(sizeof chunk, expected.size()), 0);
      require(got > 0, "no answer from the server", got == 0 ? "it closed" : std::strerror(errno));
      const auto length = static_cast<std::size_t>(got);
      same = same && expected.substr(0, length) == std::string_view(chunk, length);
      expected.remove_prefix(length);
    }
    return same;
  }

 private:
  static constexpr time_t kPatienceSeconds = 60;
  int socket_;
};

// Returns when the server listens. It is being started at the same time, and there is no word of it
// that all servers give.
inline Connection first_connection() {
  constexpr int kTries = 60'000;
  const timespec millisecond{0, 1'000'000};
  for (int i = 0; i < kTries; ++i) {
    Connection connection;
    if (connection.connect()) return connection;
    nanosleep(&millisecond, nullptr);
  }
  require(false, "the server does not listen");
  std::abort();
}

inline Connection connection() {
  Connection made;
  require(made.connect(), "connect", std::strerror(errno));
  return made;
}

// Of the helper's main: the load does not outlive its server.
inline void end_with_server() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}

// Values by number: pieces of one text, so that they cost nothing to make.
class Values {
 public:
  std::string_view operator[](std::uint64_t number) const {
    const std::uint64_t bits = mix(number);
    return std::string_view(text_).substr(bits % (kText - kLongest),
                                          kShortest + (bits >> 32) % (kLongest - kShortest));
  }

 private:
  static constexpr std::size_t kText = 64 << 10, kShortest = 24, kLongest = 280;
  std::string text_ = [] {
    std::string text = compressible_text(kText);
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  }();
};

}  // namespace bench
