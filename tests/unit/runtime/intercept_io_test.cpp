// Descriptors, sockets, and the wrappers that know what library functions read and write.
#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "tests/unit/runtime/recorded_events.h"

namespace bigfoot::rt::testing {
namespace {

using Events = std::vector<std::string>;

// Events on descriptors carry the number as their object.
void* object(int fd) {
  return reinterpret_cast<void*>(static_cast<uptr>(fd));
}
bool readable(int fd) {
  pollfd p{fd, POLLIN, 0};
  return poll(&p, 1, 0) == 1;
}

// --- descriptors
// ------------------------------------------------------------------------------------

TEST(InterceptDescriptors, WhatIsWrittenIsReleasedBeforeAndReadIsAcquiredAfter) {
  Recording r;
  int fds[2];
  ASSERT_EQ(pipe(fds), 0);
  bool empty_at_release = false, empty_at_acquire = false;
  r.at("fd_release", object(fds[1]), [&] { empty_at_release = !readable(fds[0]); });
  r.at("fd_acquire", object(fds[0]), [&] { empty_at_acquire = !readable(fds[0]); });
  char c = 'x';
  ASSERT_EQ(write(fds[1], &c, 1), 1);
  EXPECT_TRUE(empty_at_release);
  ASSERT_EQ(read(fds[0], &c, 1), 1);
  EXPECT_TRUE(empty_at_acquire);
  EXPECT_EQ(r.on(object(fds[0])),
            (Events{"T0 fd_paired with " + std::to_string(fds[1]), "T0 fd_acquire"}));
  EXPECT_EQ(r.on(object(fds[1])), Events{"T0 fd_release"});
  close(fds[1]);
  EXPECT_EQ(r.on(object(fds[1])), (Events{"T0 fd_release", "T0 fd_release", "T0 fd_closed"}));
  ASSERT_EQ(read(fds[0], &c, 1), 0);
  EXPECT_EQ(r.on(object(fds[0])).back(), "T0 fd_acquire") << "the end of the stream counts";
  close(fds[0]);
}

TEST(InterceptDescriptors, AFailedReadIsNoEvent) {
  int fds[2];
  ASSERT_EQ(pipe2(fds, O_NONBLOCK), 0);
  Recording r;
  char c;
  EXPECT_EQ(read(fds[0], &c, 1), -1);
  EXPECT_EQ(r.on(object(fds[0])), Events{});
  close(fds[0]);
  close(fds[1]);
}

TEST(InterceptDescriptors, CopiesAreOneWithTheOriginal) {
  Recording r;
  int fd = eventfd(0, 0);
  std::string from = "T0 fd_duplicated from " + std::to_string(fd);
  int a = dup(fd), b = dup2(fd, 900), c = dup3(fd, 901, O_CLOEXEC), d = fcntl(fd, F_DUPFD, 902);
  EXPECT_EQ(b, 900);
  EXPECT_EQ(c, 901);
  EXPECT_GE(d, 902);
  for (int copy : {a, b, c, d}) {
    EXPECT_EQ(r.on(object(copy)).back(), from);
    close(copy);
  }
  EXPECT_EQ(fcntl(fd, F_GETFD), 0) << "other commands pass";
  EXPECT_EQ(r.on(object(fd)), Events{"T0 fd_closed"}) << "a new descriptor has no past";
  close(fd);
}

TEST(InterceptDescriptors, EventfdAndEpoll) {
  Recording r;
  int fd = eventfd(0, 0), e = epoll_create1(0);
  epoll_event event{EPOLLIN, {}};
  epoll_ctl(e, EPOLL_CTL_ADD, fd, &event);
  eventfd_write(fd, 1);
  EXPECT_EQ(epoll_wait(e, &event, 1, 1000), 1);
  eventfd_t value;
  eventfd_read(fd, &value);
  EXPECT_EQ(r.on(object(e)), (Events{"T0 fd_closed", "T0 fd_release", "T0 fd_acquire"}));
  EXPECT_EQ(r.on(object(fd)), (Events{"T0 fd_closed", "T0 fd_release", "T0 fd_acquire"}));
  close(fd);
  close(e);
}

// --- sockets
// ----------------------------------------------------------------------------------------

// The events since `from` that release, and those that acquire, by their objects.
usize orders(const Recording& r, const char* what, const std::vector<std::string>& other) {
  usize n = 0;
  for (const std::string& e : r.named(what))
    for (const std::string& o : other) n += e == o;
  return n;
}

struct Server {
  int listener = -1;
  sockaddr_storage address = {};
  socklen_t length = sizeof(sockaddr_in);

  explicit Server(int type) {
    auto& a = reinterpret_cast<sockaddr_in&>(address);
    a.sin_family = AF_INET;
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listener = socket(AF_INET, type, 0);
    EXPECT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), length), 0);
    EXPECT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length), 0);
    if (type == SOCK_STREAM) EXPECT_EQ(listen(listener, 5), 0);
  }
  ~Server() { close(listener); }
  int connect_client(int type = SOCK_STREAM) {
    int fd = socket(AF_INET, type, 0);
    EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), length), 0);
    return fd;
  }
};

TEST(InterceptSockets, BothEndsOfAConnectionUseOneObjectAlsoWhenTheClientHasClosed) {
  Recording r;
  Server server(SOCK_STREAM);
  int client = server.connect_client();
  ASSERT_EQ(r.count("release"), 1u) << "connect is before the accept";
  ASSERT_EQ(send(client, "x", 1, 0), 1);
  close(client);
  Events released = r.named("release");
  ASSERT_GE(released.size(), 2u);
  int end = accept(server.listener, nullptr, nullptr);
  EXPECT_EQ(r.named("acquire"), Events{released[0]});
  char c;
  ASSERT_EQ(recv(end, &c, 1, 0), 1);
  EXPECT_EQ(r.named("acquire").back(), released[1]);
  EXPECT_NE(released[0], released[1]);
  close(end);
}

TEST(InterceptSockets, ConnectionsOfOneServerAreKeptApart) {
  Recording r;
  Server server(SOCK_STREAM);
  int one = server.connect_client(), two = server.connect_client();
  int end_one = accept(server.listener, nullptr, nullptr);
  int end_two = accept(server.listener, nullptr, nullptr);
  usize before = r.count("release");
  ASSERT_EQ(write(one, "x", 1), 1);
  ASSERT_EQ(write(two, "x", 1), 1);
  Events released = r.named("release");
  released.erase(released.begin(), released.begin() + static_cast<long>(before));
  ASSERT_EQ(released.size(), 2u);
  EXPECT_NE(released[0], released[1]);
  char c;
  ASSERT_EQ(read(end_two, &c, 1), 1);
  EXPECT_EQ(r.named("acquire").back(), released[1]);
  EXPECT_EQ(orders(r, "acquire", {released[0]}), 0u);
  for (int fd : {one, two, end_one, end_two}) close(fd);
}

TEST(InterceptSockets, ADatagramIsOrderedByItsAddress) {
  Recording r;
  Server server(SOCK_DGRAM);
  int client = socket(AF_INET, SOCK_DGRAM, 0);
  ASSERT_EQ(sendto(client, "x", 1, 0, reinterpret_cast<sockaddr*>(&server.address), server.length),
            1);
  char c;
  ASSERT_EQ(recv(server.listener, &c, 1, 0), 1);
  ASSERT_EQ(r.count("release"), 1u);
  EXPECT_EQ(r.named("acquire"), r.named("release"));
  close(client);
}

TEST(InterceptSockets, UnixServersByPath) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "bigfoot-%d", getpid());
  Recording r;
  int listener = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  ASSERT_EQ(connect(client, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  int end = accept(listener, nullptr, nullptr);
  ASSERT_EQ(write(client, "x", 1), 1);
  char c;
  ASSERT_EQ(read(end, &c, 1), 1);
  EXPECT_EQ(r.named("acquire").back(), r.named("release").back());
  for (int fd : {listener, client, end}) close(fd);
}

// --- wrappers
// -----------------------------------------------------------------------------------------

extern "C" {
void* __bf_memcpy(void*, const void*, size_t);
void* __bf_mempcpy(void*, const void*, size_t);
void* __bf_memmove(void*, const void*, size_t);
void* __bf_memset(void*, int, size_t);
int __bf_memcmp(const void*, const void*, size_t);
int __bf_bcmp(const void*, const void*, size_t);
void* __bf_memchr(const void*, int, size_t);
void* __bf_memrchr(const void*, int, size_t);
void* __bf_memmem(const void*, size_t, const void*, size_t);
size_t __bf_strlen(const char*);
size_t __bf_strnlen(const char*, size_t);
char* __bf_strcpy(char*, const char*);
char* __bf_strncpy(char*, const char*, size_t);
char* __bf_stpcpy(char*, const char*);
char* __bf_strcat(char*, const char*);
char* __bf_strncat(char*, const char*, size_t);
int __bf_strcmp(const char*, const char*);
int __bf_strncmp(const char*, const char*, size_t);
int __bf_strcasecmp(const char*, const char*);
int __bf_strncasecmp(const char*, const char*, size_t);
char* __bf_strchr(const char*, int);
char* __bf_strchrnul(const char*, int);
char* __bf_strrchr(const char*, int);
char* __bf_strstr(const char*, const char*);
size_t __bf_strspn(const char*, const char*);
size_t __bf_strcspn(const char*, const char*);
char* __bf_strpbrk(const char*, const char*);
char* __bf_strdup(const char*);
char* __bf_strndup(const char*, size_t);
int __bf_snprintf(char*, size_t, const char*, ...);
int __bf_sprintf(char*, const char*, ...);
ssize_t __bf_read(int, void*, size_t);
ssize_t __bf_write(int, const void*, size_t);
ssize_t __bf_readv(int, const iovec*, int);
ssize_t __bf_writev(int, const iovec*, int);
}

// A function under test with two buffers; what it does to each.
class Wrapper : public ::testing::Test {
 protected:
  static constexpr usize kBytes = 32;
  char a[kBytes] = {}, b[kBytes] = {};

  template <class F>
  void expect(F call, const Events& on_a, const Events& on_b = {}) {
    Recording r;
    call();
    EXPECT_EQ(r.in(a, kBytes), on_a);
    EXPECT_EQ(r.in(b, kBytes), on_b);
  }
  void set(const char* text_a, const char* text_b = "") {
    std::memset(a, 0x7f, kBytes);
    std::memset(b, 0x7f, kBytes);
    std::memcpy(a, text_a, std::strlen(text_a) + 1);
    std::memcpy(b, text_b, std::strlen(text_b) + 1);
  }
  static std::string reads(int begin, int end) { return access("read", begin, end); }
  static std::string writes(int begin, int end) { return access("write", begin, end); }

 private:
  static std::string access(const char* kind, int begin, int end) {
    return std::string("T0 access ") + kind + " " + std::to_string(begin) + ".." +
           std::to_string(end);
  }
};

TEST_F(Wrapper, Copies) {
  set("", "0123456789");
  expect([&] { EXPECT_EQ(__bf_memcpy(a, b, 5), a); }, {writes(0, 5)}, {reads(0, 5)});
  EXPECT_EQ(std::memcmp(a, "01234", 5), 0);
  expect([&] { EXPECT_EQ(__bf_mempcpy(a, b + 2, 3), a + 3); }, {writes(0, 3)}, {reads(2, 5)});
  expect([&] { __bf_memmove(b, b + 1, 4); }, {}, {reads(1, 5), writes(0, 4)});
  EXPECT_STREQ(b, "1234456789");
  expect([&] { __bf_memset(a + 1, 'z', 4); }, {writes(1, 5)});
  EXPECT_EQ(a[4], 'z');
  expect([&] { __bf_memcpy(a, b, 0); }, {});
}

TEST_F(Wrapper, ComparisonsReadUpToTheFirstDifference) {
  set("abcX5678", "abcY5678");
  expect([&] { EXPECT_LT(__bf_memcmp(a, b, 8), 0); }, {reads(0, 4)}, {reads(0, 4)});
  expect([&] { EXPECT_EQ(__bf_memcmp(a, b, 3), 0); }, {reads(0, 3)}, {reads(0, 3)});
  expect([&] { EXPECT_NE(__bf_bcmp(a, b, 8), 0); }, {reads(0, 4)}, {reads(0, 4)});
  expect([&] { EXPECT_LT(__bf_strcmp(a, b), 0); }, {reads(0, 4)}, {reads(0, 4)});
  expect([&] { EXPECT_EQ(__bf_strncmp(a, b, 3), 0); }, {reads(0, 3)}, {reads(0, 3)});
  set("same", "same");
  expect([&] { EXPECT_EQ(__bf_strcmp(a, b), 0); }, {reads(0, 5)}, {reads(0, 5)});
  expect([&] { EXPECT_EQ(__bf_strncmp(a, b, 20), 0); }, {reads(0, 5)}, {reads(0, 5)});
  set("SAMEx", "same");
  expect([&] { EXPECT_GT(__bf_strcasecmp(a, b), 0); }, {reads(0, 5)}, {reads(0, 5)});
  expect([&] { EXPECT_EQ(__bf_strncasecmp(a, b, 4), 0); }, {reads(0, 4)}, {reads(0, 4)});
}

TEST_F(Wrapper, SearchesReadUpToWhatTheyFind) {
  set("abcdefgh", "de");
  expect([&] { EXPECT_EQ(__bf_memchr(a, 'c', 8), a + 2); }, {reads(0, 3)});
  expect([&] { EXPECT_EQ(__bf_memchr(a, 'z', 8), nullptr); }, {reads(0, 8)});
  expect([&] { EXPECT_EQ(__bf_memrchr(a, 'c', 8), a + 2); }, {reads(2, 8)});
  expect([&] { EXPECT_EQ(__bf_memmem(a, 8, b, 2), a + 3); }, {reads(0, 5)}, {reads(0, 2)});
  expect([&] { EXPECT_EQ(__bf_strchr(a, 'c'), a + 2); }, {reads(0, 3)});
  expect([&] { EXPECT_EQ(__bf_strchr(a, 'z'), nullptr); }, {reads(0, 9)});
  expect([&] { EXPECT_EQ(__bf_strchr(a, 0), a + 8); }, {reads(0, 9)});
  expect([&] { EXPECT_EQ(__bf_strchrnul(a, 'z'), a + 8); }, {reads(0, 9)});
  expect([&] { EXPECT_EQ(__bf_strrchr(a, 'c'), a + 2); }, {reads(0, 9)});
  expect([&] { EXPECT_EQ(__bf_strstr(a, b), a + 3); }, {reads(0, 5)}, {reads(0, 3)});
  expect([&] { EXPECT_EQ(__bf_strstr(a, "zz"), nullptr); }, {reads(0, 9)});
  expect([&] { EXPECT_EQ(__bf_strspn(a, "abc"), 3u); }, {reads(0, 4)});
  expect([&] { EXPECT_EQ(__bf_strcspn(a, b), 3u); }, {reads(0, 4)}, {reads(0, 3)});
  expect([&] { EXPECT_EQ(__bf_strpbrk(a, b), a + 3); }, {reads(0, 4)}, {reads(0, 3)});
}

TEST_F(Wrapper, StringsEndWithTheirZero) {
  set("", "four");
  expect([&] { EXPECT_EQ(__bf_strlen(b), 4u); }, {}, {reads(0, 5)});
  expect([&] { EXPECT_EQ(__bf_strnlen(b, 3), 3u); }, {}, {reads(0, 3)});
  expect([&] { EXPECT_EQ(__bf_strnlen(b, 4), 4u); }, {}, {reads(0, 4)});
  expect([&] { EXPECT_EQ(__bf_strnlen(b, 5), 4u); }, {}, {reads(0, 5)});
  expect([&] { __bf_strcpy(a, b); }, {writes(0, 5)}, {reads(0, 5)});
  expect([&] { EXPECT_EQ(__bf_stpcpy(a, b), a + 4); }, {writes(0, 5)}, {reads(0, 5)});
  expect([&] { __bf_strncpy(a, b, 2); }, {writes(0, 2)}, {reads(0, 2)});
  expect([&] { __bf_strncpy(a, b, 9); }, {writes(0, 9)}, {reads(0, 5)});
  set("ab", "four");
  expect([&] { __bf_strcat(a, b); }, {reads(0, 3), writes(2, 7)}, {reads(0, 5)});
  EXPECT_STREQ(a, "abfour");
  set("ab", "four");
  expect([&] { __bf_strncat(a, b, 2); }, {reads(0, 3), writes(2, 5)}, {reads(0, 2)});
  EXPECT_STREQ(a, "abfo");
}

TEST_F(Wrapper, DuplicatesAreWritten) {
  set("four");
  Recording r;
  char* p = __bf_strdup(a);
  EXPECT_STREQ(p, "four");
  EXPECT_EQ(r.in(p, 5), (Events{"T0 memory_allocated 0..5", writes(0, 5)}));
  EXPECT_EQ(r.in(a, kBytes), Events{reads(0, 5)});
  char* q = __bf_strndup(a, 2);
  EXPECT_STREQ(q, "fo");
  EXPECT_EQ(r.in(q, 3), (Events{"T0 memory_allocated 0..3", writes(0, 3)}));
  free(p);
  free(q);
}

TEST_F(Wrapper, FormattingWritesWhatFits) {
  expect([&] { EXPECT_EQ(__bf_snprintf(a, 32, "%d", 1234), 4); }, {writes(0, 5)});
  expect([&] { EXPECT_EQ(__bf_snprintf(a, 3, "%d", 1234), 4); }, {writes(0, 3)});
  expect([&] { EXPECT_EQ(__bf_snprintf(a, 0, "%d", 1234), 4); }, {});
  expect([&] { EXPECT_EQ(__bf_sprintf(a, "%s!", "ab"), 3); }, {writes(0, 4)});
}

TEST_F(Wrapper, ScatteredBuffersAreWrittenInOrderAsFarAsDataCame) {
  int fds[2];
  ASSERT_EQ(pipe(fds), 0);
  iovec out[] = {{a, 3}, {a + 10, 4}}, in[] = {{b, 2}, {b + 10, 20}};
  Recording r;
  EXPECT_EQ(__bf_writev(fds[1], out, 2), 7);
  EXPECT_EQ(__bf_readv(fds[0], in, 2), 7);
  EXPECT_EQ(r.in(a, kBytes), (Events{reads(0, 3), reads(10, 14)}));
  EXPECT_EQ(r.in(b, kBytes), (Events{writes(0, 2), writes(10, 15)}));
  close(fds[0]);
  close(fds[1]);
}

TEST_F(Wrapper, BuffersAreReadBeforeTheyArePublishedAndWrittenAsFarAsDataCame) {
  int fds[2];
  ASSERT_EQ(pipe(fds), 0);
  set("data");
  Recording r;
  bool read_first = false;
  r.at("fd_release", object(fds[1]), [&] { read_first = r.in(a, kBytes) == Events{reads(0, 4)}; });
  EXPECT_EQ(__bf_write(fds[1], a, 4), 4);
  EXPECT_TRUE(read_first);
  EXPECT_EQ(__bf_read(fds[0], b, kBytes), 4);
  EXPECT_EQ(r.in(b, kBytes), Events{writes(0, 4)});
  close(fds[0]);
  close(fds[1]);
}

}  // namespace
}  // namespace bigfoot::rt::testing
