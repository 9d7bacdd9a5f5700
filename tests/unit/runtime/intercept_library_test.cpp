// What library functions read and write behind the pointers they are given, byte by byte.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/unit/runtime/recorded_events.h"

extern "C" {
int __bf_sscanf(const char*, const char*, ...);
int __bf_snprintf(char*, size_t, const char*, ...);
int __bf_asprintf(char**, const char*, ...);
long __bf_strtol(const char*, char**, int);
double __bf_atof(const char*);
char* __bf_strtok_r(char*, const char*, char**);
char* __bf_strsep(char**, const char*);
ssize_t __bf_getline(char**, size_t*, FILE*);
int __bf_poll(pollfd*, nfds_t, int);
int __bf_select(int, fd_set*, fd_set*, fd_set*, timeval*);
void __bf_qsort(void*, size_t, size_t, int (*)(const void*, const void*));
int __bf_getsockname(int, sockaddr*, socklen_t*);
int __bf_posix_memalign(void**, size_t, size_t);
char* __bf___strncat_chk(char*, const char*, size_t, size_t);
}

namespace bigfoot::rt::testing {
namespace {

using Events = std::vector<std::string>;

template <class T>
Events in(const Recording& r, const T& object) {
  return r.in(&object, sizeof object);
}

TEST(InterceptFormats, ScanfWritesWhatItsConversionsSay) {
  signed char hh = 0;
  short h = 0;
  long l = 0;
  float f = 0;
  double d = 0;
  long double ld = 0;
  char text[16] = {}, set[16] = {}, two[4] = {};
  int n = 0;
  Recording r;
  ASSERT_EQ(
      __bf_sscanf("1 2 3 4.5 5.5 6.5 word []x-7ab", "%hhd%hd%lld%f%lf%Lf %15s %3[][x]%*d%2c%n", &hh,
                  &h, &l, &f, &d, &ld, text, set, two, &n),
      9);
  EXPECT_EQ(n, 30);
  EXPECT_EQ(in(r, hh), Events{"T0 access write 0..1"});
  EXPECT_EQ(in(r, h), Events{"T0 access write 0..2"});
  EXPECT_EQ(in(r, l), Events{"T0 access write 0..8"});
  EXPECT_EQ(in(r, f), Events{"T0 access write 0..4"});
  EXPECT_EQ(in(r, d), Events{"T0 access write 0..8"});
  EXPECT_EQ(in(r, ld), Events{"T0 access write 0..16"});
  EXPECT_EQ(in(r, text), Events{"T0 access write 0..5"});
  EXPECT_EQ(in(r, set), Events{"T0 access write 0..4"});
  EXPECT_EQ(in(r, two), Events{"T0 access write 0..2"});
  EXPECT_EQ(in(r, n), Events{"T0 access write 0..4"});
}

TEST(InterceptFormats, ScanfThatStopsHasWrittenNoMore) {
  int a = 0, b = 0, at = 0, unsure = 0;
  Recording r;
  ASSERT_EQ(__bf_sscanf("1 x", "%d%n;%n%d", &a, &at, &unsure, &b), 1);
  EXPECT_EQ(in(r, a), Events{"T0 access write 0..4"});
  EXPECT_EQ(in(r, at), Events{"T0 access write 0..4"}) << "directly behind an assignment";
  EXPECT_EQ(in(r, unsure), Events{}) << "the ; did not match";
  EXPECT_EQ(in(r, b), Events{});
}

TEST(InterceptFormats, PrintfReadsItsStringsAndWritesItsCounts) {
  const char whole[8] = "abc", part[8] = "abcdef", star[8] = "abcdef", short_one[8] = "ab";
  char to[64];
  int n = 0;
  Recording r;
  __bf_snprintf(to, sizeof to, "%d%%%ld%g%Lf%c %s|%-8.3s|%*.*s|%.5s%n", 1, 2L, 3.0, 4.0L, 'c',
                whole, part, 9, 2, star, short_one, &n);
  EXPECT_EQ(in(r, whole), Events{"T0 access read 0..4"});
  EXPECT_EQ(in(r, part), Events{"T0 access read 0..3"});
  EXPECT_EQ(in(r, star), Events{"T0 access read 0..2"});
  EXPECT_EQ(in(r, short_one), Events{"T0 access read 0..3"});
  EXPECT_EQ(in(r, n), Events{"T0 access write 0..4"});
}

TEST(InterceptFormats, PositionsAreNotFollowed) {
  const char a[8] = "a", b[8] = "b";
  char to[16];
  Recording r;
  __bf_snprintf(to, sizeof to, "%2$s%1$s", a, b);
  EXPECT_STREQ(to, "ba");
  EXPECT_EQ(in(r, a), Events{});
}

TEST(InterceptFormats, AsprintfWritesThePointerAndTheText) {
  char* p = nullptr;
  Recording r;
  ASSERT_EQ(__bf_asprintf(&p, "%d", 123), 3);
  EXPECT_EQ(in(r, p), Events{"T0 access write 0..8"});
  EXPECT_EQ(r.in(p, 8).back(), "T0 access write 0..4");
  free(p);
}

TEST(InterceptLibrary, NumbersAreReadUpToWhatStopsThem) {
  const char text[16] = " -12 apples", real[16] = "2.5e3,";
  char* end = nullptr;
  Recording r;
  EXPECT_EQ(__bf_strtol(text, &end, 10), -12);
  EXPECT_EQ(end, text + 4);
  EXPECT_EQ(in(r, text), Events{"T0 access read 0..5"});
  EXPECT_EQ(in(r, end), Events{"T0 access write 0..8"});
  EXPECT_EQ(__bf_strtol(text, nullptr, 99), 0) << "no such base";
  EXPECT_EQ(__bf_atof(real), 2500.0);
  EXPECT_EQ(in(r, real), Events{"T0 access read 0..6"});
}

TEST(InterceptLibrary, WordsAreCutWhereTheyEnd) {
  char text[8] = "ab,,cd";
  char* rest = nullptr;
  Recording r;
  EXPECT_STREQ(__bf_strtok_r(text, ",", &rest), "ab");
  EXPECT_EQ(in(r, text), (Events{"T0 access read 0..3", "T0 access write 2..3"}));
  EXPECT_STREQ(__bf_strtok_r(nullptr, ",", &rest), "cd");
  EXPECT_EQ(r.in(text + 3, 5), Events{"T0 access read 0..4"}) << "the end was there already";
  EXPECT_EQ(__bf_strtok_r(nullptr, ",", &rest), nullptr);

  char separated[8] = "x;y";
  char* at = separated;
  EXPECT_STREQ(__bf_strsep(&at, ";"), "x");
  EXPECT_EQ(in(r, separated), (Events{"T0 access read 0..2", "T0 access write 1..2"}));
}

TEST(InterceptLibrary, GetlineWritesThePointerOnlyWhenItMoves) {
  char content[] = "one\ntwo\n";
  FILE* file = fmemopen(content, sizeof content - 1, "r");
  char* line = nullptr;
  size_t size = 0;
  Recording r;
  ASSERT_EQ(__bf_getline(&line, &size, file), 4);
  ASSERT_EQ(__bf_getline(&line, &size, file), 4);
  EXPECT_EQ(in(r, line), (Events{"T0 access write 0..8", "T0 access read 0..8"}));
  EXPECT_EQ(in(r, size), (Events{"T0 access write 0..8", "T0 access read 0..8"}));
  fclose(file);
  free(line);
}

TEST(InterceptLibrary, PollWritesItsAnswersOnly) {
  pollfd fds[2] = {{-1, POLLIN, 0}, {-1, POLLIN, 0}};
  Recording r;
  ASSERT_EQ(__bf_poll(fds, 2, 0), 0);
  EXPECT_EQ(in(r, fds),
            (Events{"T0 access read 0..16", "T0 access write 6..8", "T0 access write 14..16"}));
}

TEST(InterceptLibrary, SelectAccessesWholeWordsOfItsSets) {
  fd_set set;
  FD_ZERO(&set);
  timeval now = {};
  Recording r;
  ASSERT_EQ(__bf_select(3, &set, nullptr, nullptr, &now), 0);
  EXPECT_EQ(in(r, set), (Events{"T0 access read 0..8", "T0 access write 0..8"}));
}

TEST(InterceptLibrary, ANameThatIsCutOffIsWrittenAsFarAsThereIsRoom) {
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  char name[4] = {};
  socklen_t length = 1;
  Recording r;
  ASSERT_EQ(__bf_getsockname(fd, reinterpret_cast<sockaddr*>(name), &length), 0);
  EXPECT_EQ(length, sizeof(sa_family_t)) << "a socket without a name has its family only";
  EXPECT_EQ(in(r, name), Events{"T0 access write 0..1"});
  EXPECT_EQ(in(r, length), (Events{"T0 access read 0..4", "T0 access write 0..4"}));
  close(fd);
}

TEST(InterceptLibrary, SortingMovesElementsIfThereAreTwo) {
  int numbers[3] = {3, 1, 2};
  const auto compare = +[](const void* a, const void* b) {
    return *static_cast<const int*>(a) - *static_cast<const int*>(b);
  };
  Recording r;
  __bf_qsort(numbers, 1, sizeof(int), compare);
  EXPECT_EQ(in(r, numbers), Events{"T0 access read 0..4"});
  __bf_qsort(numbers, 3, sizeof(int), compare);
  EXPECT_EQ(in(r, numbers).back(), "T0 access write 0..12");
  EXPECT_EQ(numbers[0], 1);
}

TEST(InterceptLibrary, AFailedAllocationWritesNothing) {
  void* p = nullptr;
  Recording r;
  EXPECT_EQ(__bf_posix_memalign(&p, 3, 8), EINVAL);
  EXPECT_EQ(in(r, p), Events{});
  ASSERT_EQ(__bf_posix_memalign(&p, 64, 8), 0);
  EXPECT_EQ(in(r, p), Events{"T0 access write 0..8"});
  free(p);
}

TEST(InterceptLibrary, FortifiedFunctionsAccessWhatThePlainOnesDo) {
  char to[16] = "ab";
  const char from[8] = "cdef";
  Recording r;
  __bf___strncat_chk(to, from, 2, sizeof to);
  EXPECT_STREQ(to, "abcd");
  EXPECT_EQ(in(r, from), Events{"T0 access read 0..2"});
  EXPECT_EQ(in(r, to), (Events{"T0 access read 0..3", "T0 access write 2..5"}));
}

}  // namespace
}  // namespace bigfoot::rt::testing
