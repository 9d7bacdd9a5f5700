// Sockets between threads of one process.
//
// A pair made by socketpair shares one order object from the start (descriptors.cpp). The two ends
// of a connection made by connect and accept have to find each other first:
//
//   internet    the client's own address is the server's peer address, whoever sees it second gives
//   its
//               descriptor the object of the other one
//   Unix        a client has no address; all connections of a listening socket share its object
//   datagrams   a message goes to an address: the sender releases it, the receiver acquires its own
//
// Besides, connect is before the accept that takes the connection, by the address connected to.
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>
#include <time.h>

#include "runtime/base/hash_map.h"
#include "runtime/base/spin_lock.h"
#include "runtime/intercept/interceptor.h"
#include "runtime/intercept/sockets.h"

using namespace bigfoot::rt;
using namespace bigfoot::rt::intercept;

namespace {

// An address as a word. Internet addresses of one process differ in their ports; a server bound to
// all interfaces does not know the one its clients use, so only the port counts. Zero: no address.
u64 name_of(const void* address, socklen_t length) {
  const auto* any = static_cast<const sockaddr*>(address);
  if (any == nullptr || length < sizeof(sa_family_t)) return 0;
  u64 port = 0;
  if (any->sa_family == AF_INET && length >= sizeof(sockaddr_in))
    port = static_cast<const sockaddr_in*>(address)->sin_port;
  if (any->sa_family == AF_INET6 && length >= sizeof(sockaddr_in6))
    port = static_cast<const sockaddr_in6*>(address)->sin6_port;
  if (port != 0) return port << 1 | 1;
  if (any->sa_family != AF_UNIX || length <= offsetof(sockaddr_un, sun_path)) return 0;
  const char* path = static_cast<const sockaddr_un*>(address)->sun_path;
  u64 hash = AF_UNIX;
  const usize bytes = length - offsetof(sockaddr_un, sun_path);
  for (usize i = 0; i < bytes && (i == 0 || path[i] != 0); ++i)  // abstract names begin with 0
    hash = mix_bits(hash ^ static_cast<unsigned char>(path[i]));
  return hash | 1;
}

// Objects for addresses, where no program's memory is (descriptors have 2^60 upwards).
uptr object_of(u64 name) {
  return uptr{1} << 61 | (mix_bits(name) >> 8 & ~uptr{7});
}

u64 own_name(int fd) {
  sockaddr_storage a;
  socklen_t n = sizeof a;
  return getsockname(fd, reinterpret_cast<sockaddr*>(&a), &n) == 0 ? name_of(&a, n) : 0;
}
u64 peer_name(int fd) {
  sockaddr_storage a;
  socklen_t n = sizeof a;
  return getpeername(fd, reinterpret_cast<sockaddr*>(&a), &n) == 0 ? name_of(&a, n) : 0;
}
int option(int fd, int which) {
  int value = 0;
  socklen_t n = sizeof value;
  return getsockopt(fd, SOL_SOCKET, which, &value, &n) == 0 ? value : -1;
}
bool is_datagram(int fd) {
  return option(fd, SO_TYPE) == SOCK_DGRAM;
}
bool is_unix(int fd) {
  return option(fd, SO_DOMAIN) == AF_UNIX;
}

enum class Side : int { kNobody, kClient, kServer };

// Ends of connections that the other side has not found yet, and listening Unix sockets.
class Meeting {
 public:
  struct Found {
    int fd;
    bool found;
  };
  // The other side's descriptor if it was here first; otherwise ours waits. An end of our own side
  // under the same name is a connection of the past, to another process.
  Found meet(u64 name, int fd, Side side) {
    SpinGuard guard(lock_);
    Entry& e = *map_.insert(name).value;
    if (e.side == Side::kNobody || e.side == side) {
      e = {fd, side};
      return {-1, false};
    }
    int other = e.fd;
    e.side = Side::kNobody;
    return {other, true};
  }
  void listen(u64 name, int fd) {
    SpinGuard guard(lock_);
    *map_.insert(name).value = {fd, Side::kServer};
  }
  Found listener(u64 name) {
    SpinGuard guard(lock_);
    Entry* e = map_.find(name);
    return e != nullptr && e->side == Side::kServer ? Found{e->fd, true} : Found{-1, false};
  }
  SpinLock& lock() { return lock_; }

 private:
  struct Entry {
    int fd;
    Side side;
  };
  SpinLock lock_;
  HashMap<Entry> map_;  // guarded by lock_
};

union NeverDestroyed {
  constexpr NeverDestroyed() : meeting() {}
  constexpr ~NeverDestroyed() {}
  Meeting meeting;
};
constinit NeverDestroyed all;
Meeting& meeting() {
  return all.meeting;
}

// `name` is the client's address.
void join_ends(const Call& call, int fd, u64 name, Side side) {
  if (name == 0) return;
  if (Meeting::Found other = meeting().meet(name, fd, side); other.found)
    fd_duplicated(call.thread(), other.fd, fd, call.pc());
}

void connected(const Call& call, int fd, u64 server) {
  if (is_datagram(fd)) return;
  if (!is_unix(fd)) return join_ends(call, fd, own_name(fd), Side::kClient);
  if (Meeting::Found listener = meeting().listener(server); listener.found)
    fd_duplicated(call.thread(), listener.fd, fd, call.pc());
}

int accepted(const Call& call, int listener, int fd) {
  if (!call || fd < 0) return fd;
  fd_closed(call.thread(), fd, call.pc());
  if (u64 name = own_name(listener)) acquire(call.thread(), object_of(name), call.pc());
  if (is_unix(fd))
    fd_duplicated(call.thread(), listener, fd, call.pc());
  else
    join_ends(call, fd, peer_name(fd), Side::kServer);
  return fd;
}

}  // namespace

void intercept::lock_sockets() {
  meeting().lock().lock();
}
void intercept::unlock_sockets() {
  meeting().lock().reset_after_fork();
}

void intercept::sending_on_socket(const Call& call, int fd, const void* to, unsigned length) {
  if (!call) return;
  const int saved_errno = errno;
  fd_release(call.thread(), fd, call.pc());
  if (is_datagram(fd)) {
    u64 name = to != nullptr ? name_of(to, length) : peer_name(fd);
    if (name != 0) release(call.thread(), object_of(name), call.pc());
  }
  errno = saved_errno;
}

void intercept::received_on_socket(const Call& call, int fd) {
  if (!call) return;
  const int saved_errno = errno;
  fd_acquire(call.thread(), fd, call.pc());
  if (is_datagram(fd))
    if (u64 name = own_name(fd)) acquire(call.thread(), object_of(name), call.pc());
  errno = saved_errno;
}

// --- connections
// -------------------------------------------------------------------------------------------

BF_INTERCEPTOR(int, socket, int domain, int type, int protocol) {
  const Call call(BF_PC());
  int fd = real_socket(domain, type, protocol);
  if (call && fd >= 0) fd_closed(call.thread(), fd, call.pc());
  return fd;
}
BF_INTERCEPTOR(int, listen, int fd, int backlog) {
  const Call call(BF_PC());
  if (call && is_unix(fd))
    if (u64 name = own_name(fd)) meeting().listen(name, fd);
  return real_listen(fd, backlog);
}
BF_INTERCEPTOR(int, connect, int fd, const sockaddr* to, socklen_t length) {
  const Call call(BF_PC());
  const u64 server = call ? name_of(to, length) : 0;
  if (server != 0) release(call.thread(), object_of(server), call.pc());
  int result = real_connect(fd, to, length);
  const int saved_errno = errno;
  if (call && (result == 0 || saved_errno == EINPROGRESS)) connected(call, fd, server);
  errno = saved_errno;
  return result;
}
BF_INTERCEPTOR(int, accept, int fd, sockaddr* from, socklen_t* length) {
  const Call call(BF_PC());
  return accepted(call, fd, real_accept(fd, from, length));
}
BF_INTERCEPTOR(int, accept4, int fd, sockaddr* from, socklen_t* length, int flags) {
  const Call call(BF_PC());
  return accepted(call, fd, real_accept4(fd, from, length, flags));
}

// --- messages
// ------------------------------------------------------------------------------------------------

BF_INTERCEPTOR(ssize_t, send, int fd, const void* p, usize n, int flags) {
  sending_on_socket(Call(BF_PC()), fd, nullptr, 0);
  return real_send(fd, p, n, flags);
}
BF_INTERCEPTOR(ssize_t, sendto, int fd, const void* p, usize n, int flags, const sockaddr* to,
               socklen_t length) {
  sending_on_socket(Call(BF_PC()), fd, to, length);
  return real_sendto(fd, p, n, flags, to, length);
}
BF_INTERCEPTOR(ssize_t, sendmsg, int fd, const msghdr* m, int flags) {
  sending_on_socket(Call(BF_PC()), fd, m->msg_name, m->msg_namelen);
  return real_sendmsg(fd, m, flags);
}
BF_INTERCEPTOR(int, sendmmsg, int fd, mmsghdr* m, unsigned n, int flags) {
  const Call call(BF_PC());
  for (unsigned i = 0; i < n; ++i)
    sending_on_socket(call, fd, m[i].msg_hdr.msg_name, m[i].msg_hdr.msg_namelen);
  return real_sendmmsg(fd, m, n, flags);
}

BF_INTERCEPTOR(ssize_t, recv, int fd, void* p, usize n, int flags) {
  const Call call(BF_PC());
  ssize_t result = real_recv(fd, p, n, flags);
  if (result >= 0) received_on_socket(call, fd);
  return result;
}
BF_INTERCEPTOR(ssize_t, recvfrom, int fd, void* p, usize n, int flags, sockaddr* from,
               socklen_t* length) {
  const Call call(BF_PC());
  ssize_t result = real_recvfrom(fd, p, n, flags, from, length);
  if (result >= 0) received_on_socket(call, fd);
  return result;
}
BF_INTERCEPTOR(ssize_t, recvmsg, int fd, msghdr* m, int flags) {
  const Call call(BF_PC());
  ssize_t result = real_recvmsg(fd, m, flags);
  if (result >= 0) received_on_socket(call, fd);
  return result;
}
BF_INTERCEPTOR(int, recvmmsg, int fd, mmsghdr* m, unsigned n, int flags, timespec* timeout) {
  const Call call(BF_PC());
  int result = real_recvmmsg(fd, m, n, flags, timeout);
  if (result >= 0) received_on_socket(call, fd);
  return result;
}
