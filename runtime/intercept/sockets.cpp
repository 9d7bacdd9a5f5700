// Sockets between threads of one process.
//
// A pair made by socketpair shares one order object from the start (descriptors.cpp). The two ends
// of a connection made by connect and accept come to know each other only by their addresses, so
// both use an object named after the connection:
//
//   internet    the ports of client and server
//   Unix        the server's path: a client has no name, so all connections of a server share it
//   datagrams   a message goes to an address: the sender releases it, the receiver acquires its own
//
// Besides, connect is before the accept that takes the connection, by the address connected to.
#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>
#include <time.h>

#include "runtime/base/arena.h"
#include "runtime/base/hash_map.h"
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

// The object of a descriptor's connection, 0 if it has none. Written when a descriptor begins or
// ends and read in between, both by whoever uses it.
ReservedTable<uptr, usize{1} << 20> connections;

uptr* connection(int fd) {
  if (fd < 0 || static_cast<usize>(fd) >= connections.kCapacity || !connections.reserved())
    return nullptr;
  return &connections[static_cast<usize>(fd)];
}
void set_connection(int fd, uptr object) {
  if (uptr* c = connection(fd)) store_relaxed(c, object);
}

uptr internet_connection(u64 client, u64 server) {
  return client == 0 || server == 0 ? 0 : object_of(mix_bits(client) ^ server);
}

void connected(int fd, u64 server) {
  if (is_datagram(fd)) return;
  set_connection(fd, is_unix(fd) ? object_of(server) : internet_connection(own_name(fd), server));
}

int accepted(const Call& call, int listener, int fd) {
  if (!call || fd < 0) return fd;
  fd_closed(call.thread(), fd, call.pc());
  const u64 server = own_name(listener);
  if (server == 0) return fd;
  acquire(call.thread(), object_of(server), call.pc());
  set_connection(fd, is_unix(fd) ? object_of(server) : internet_connection(peer_name(fd), server));
  return fd;
}

}  // namespace

void intercept::watch_sockets() {
  connections.reserve();
}
void intercept::connection_ended(int fd) {
  set_connection(fd, 0);
}
void intercept::connection_copied(int from, int to) {
  uptr* c = connection(from);
  set_connection(to, c == nullptr ? 0 : load_relaxed(c));
}

void intercept::descriptor_releases(const Call& call, int fd) {
  if (!call) return;
  fd_release(call.thread(), fd, call.pc());
  if (uptr* c = connection(fd); c != nullptr && load_relaxed(c) != 0)
    release(call.thread(), load_relaxed(c), call.pc());
}
void intercept::descriptor_acquires(const Call& call, int fd) {
  if (!call) return;
  fd_acquire(call.thread(), fd, call.pc());
  if (uptr* c = connection(fd); c != nullptr && load_relaxed(c) != 0)
    acquire(call.thread(), load_relaxed(c), call.pc());
}

namespace {
// Negative if there is none. The number never changes, so nobody has to lock the stream for it.
int descriptor_of(void* stream) {
  const int saved_errno = errno;
  const int fd = stream == nullptr ? -1 : fileno_unlocked(static_cast<FILE*>(stream));
  errno = saved_errno;
  return fd;
}
}  // namespace

void intercept::stream_releases(const Call& call, void* stream) {
  if (!call) return;
  if (int fd = descriptor_of(stream); fd >= 0) descriptor_releases(call, fd);
}
void intercept::stream_acquires(const Call& call, void* stream) {
  if (!call) return;
  if (int fd = descriptor_of(stream); fd >= 0) descriptor_acquires(call, fd);
}

namespace {

// Before a message is sent, to `to` if not null.
void sending(const Call& call, int fd, const void* to, socklen_t length) {
  if (!call) return;
  const int saved_errno = errno;
  descriptor_releases(call, fd);
  if (is_datagram(fd)) {
    u64 name = to != nullptr ? name_of(to, length) : peer_name(fd);
    if (name != 0) release(call.thread(), object_of(name), call.pc());
  }
  errno = saved_errno;
}

void received(const Call& call, int fd) {
  if (!call) return;
  const int saved_errno = errno;
  descriptor_acquires(call, fd);
  if (is_datagram(fd))
    if (u64 name = own_name(fd)) acquire(call.thread(), object_of(name), call.pc());
  errno = saved_errno;
}

}  // namespace

// --- connections ---------------------------------------------------------------------------------

BF_INTERCEPTOR(int, socket, int domain, int type, int protocol) {
  const Call call(BF_PC());
  int fd = real_socket(domain, type, protocol);
  if (call && fd >= 0) {
    fd_closed(call.thread(), fd, call.pc());
    connection_ended(fd);
  }
  return fd;
}
BF_INTERCEPTOR(int, connect, int fd, const sockaddr* to, socklen_t length) {
  const Call call(BF_PC());
  const u64 server = call ? name_of(to, length) : 0;
  if (server != 0) release(call.thread(), object_of(server), call.pc());
  int result = real_connect(fd, to, length);
  const int saved_errno = errno;
  if (call && (result == 0 || saved_errno == EINPROGRESS)) connected(fd, server);
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

// --- messages ------------------------------------------------------------------------------------

BF_INTERCEPTOR(ssize_t, send, int fd, const void* p, usize n, int flags) {
  sending(Call(BF_PC()), fd, nullptr, 0);
  return real_send(fd, p, n, flags);
}
BF_INTERCEPTOR(ssize_t, sendto, int fd, const void* p, usize n, int flags, const sockaddr* to,
               socklen_t length) {
  sending(Call(BF_PC()), fd, to, length);
  return real_sendto(fd, p, n, flags, to, length);
}
BF_INTERCEPTOR(ssize_t, sendmsg, int fd, const msghdr* m, int flags) {
  sending(Call(BF_PC()), fd, m->msg_name, m->msg_namelen);
  return real_sendmsg(fd, m, flags);
}
BF_INTERCEPTOR(int, sendmmsg, int fd, mmsghdr* m, unsigned n, int flags) {
  const Call call(BF_PC());
  for (unsigned i = 0; i < n; ++i)
    sending(call, fd, m[i].msg_hdr.msg_name, m[i].msg_hdr.msg_namelen);
  return real_sendmmsg(fd, m, n, flags);
}

BF_INTERCEPTOR(ssize_t, recv, int fd, void* p, usize n, int flags) {
  const Call call(BF_PC());
  ssize_t result = real_recv(fd, p, n, flags);
  if (result >= 0) received(call, fd);
  return result;
}
BF_INTERCEPTOR(ssize_t, recvfrom, int fd, void* p, usize n, int flags, sockaddr* from,
               socklen_t* length) {
  const Call call(BF_PC());
  ssize_t result = real_recvfrom(fd, p, n, flags, from, length);
  if (result >= 0) received(call, fd);
  return result;
}
BF_INTERCEPTOR(ssize_t, recvmsg, int fd, msghdr* m, int flags) {
  const Call call(BF_PC());
  ssize_t result = real_recvmsg(fd, m, flags);
  if (result >= 0) received(call, fd);
  return result;
}
BF_INTERCEPTOR(int, recvmmsg, int fd, mmsghdr* m, unsigned n, int flags, timespec* timeout) {
  const Call call(BF_PC());
  int result = real_recvmmsg(fd, m, n, flags, timeout);
  if (result >= 0) received(call, fd);
  return result;
}
