// The life of threads as the core is told it.
#include <errno.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <threads.h>
#include <time.h>

#include <algorithm>
#include <set>

#include "tests/unit/runtime/recorded_events.h"

namespace bigfoot::rt::testing {
namespace {

using Events = std::vector<std::string>;

// Events about thread n carry its number as their object.
Events about(const Recording& r, uptr n) {
  return r.on(reinterpret_cast<void*>(n));
}

void* nothing(void* p) {
  return p;
}

TEST(InterceptThreads, StartComesFirstAndFinishLastAndJoinAfterBoth) {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  Recording r;
  pthread_t t;
  pthread_create(
      &t, nullptr,
      [](void* mutex) -> void* {
        pthread_mutex_lock(static_cast<pthread_mutex_t*>(mutex));
        pthread_mutex_unlock(static_cast<pthread_mutex_t*>(mutex));
        return mutex;
      },
      &m);
  void* result = nullptr;
  EXPECT_EQ(pthread_join(t, &result), 0);
  EXPECT_EQ(result, &m);
  EXPECT_EQ(about(r, 1), (Events{"T0 thread_creating", "T1 thread_started", "T1 thread_finishing",
                                 "T0 thread_joined"}));
  EXPECT_EQ(r.on(&m), (Events{"T1 mutex_locked write", "T1 mutex_unlocking"}))
      << "the program's code must run as the new thread";
}

TEST(InterceptThreads, DestructorsOfThreadLocalObjectsRunBeforeTheLastEvent) {
  static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  static pthread_key_t key;
  struct Object {
    ~Object() {
      pthread_mutex_lock(&m);
      pthread_mutex_unlock(&m);
    }
  };
  // Arms itself once more: the destructor of the second round still counts.
  pthread_key_create(&key, [](void* value) {
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    if (value == &m) pthread_setspecific(key, &key);
  });
  Recording r;
  bool over_too_early = false;
  r.at("mutex_locked write", &m,
       [&] { over_too_early = over_too_early || r.count("thread_finishing") != 0; });
  pthread_t t;
  pthread_create(
      &t, nullptr,
      [](void*) -> void* {
        static thread_local Object object;
        pthread_setspecific(key, &m);
        return &object;
      },
      nullptr);
  pthread_join(t, nullptr);
  EXPECT_EQ(r.on(&m).size(), 6u) << "one C++ object, two rounds of the key";
  EXPECT_FALSE(over_too_early);
  EXPECT_EQ(about(r, 1).back(), "T0 thread_joined");
  EXPECT_EQ(r.count("thread_finishing"), 1u);
}

TEST(InterceptThreads, PthreadExitAndCancellationEndAThreadLikeReturn) {
  Recording r;
  pthread_t t;
  pthread_create(
      &t, nullptr, [](void*) -> void* { pthread_exit(nullptr); }, nullptr);
  pthread_join(t, nullptr);
  pthread_create(
      &t, nullptr,
      [](void*) -> void* {
        for (;;) pthread_testcancel();
      },
      nullptr);
  pthread_cancel(t);
  pthread_join(t, nullptr);
  EXPECT_EQ(about(r, 1)[2], "T1 thread_finishing");
  EXPECT_EQ(about(r, 2)[2], "T2 thread_finishing");
}

TEST(InterceptThreads, AHandleUsedAgainNamesTheNewThread) {
  Recording r;
  std::set<pthread_t> handles;
  constexpr uptr kThreads = 50;
  for (uptr i = 0; i < kThreads; ++i) {
    pthread_t t;
    ASSERT_EQ(pthread_create(&t, nullptr, nothing, nullptr), 0);
    handles.insert(t);
    ASSERT_EQ(pthread_join(t, nullptr), 0);
  }
  ASSERT_LT(handles.size(), kThreads) << "the C library has not used a handle again";
  for (uptr i = 1; i <= kThreads; ++i) EXPECT_EQ(about(r, i).back(), "T0 thread_joined") << i;
}

TEST(InterceptThreads, OtherWaysToJoin) {
  Recording r;
  pthread_t t;
  timespec until = {time(nullptr) + 1000, 0};
  pthread_create(&t, nullptr, nothing, nullptr);
  EXPECT_EQ(pthread_timedjoin_np(t, nullptr, &until), 0);
  pthread_create(&t, nullptr, nothing, nullptr);
  EXPECT_EQ(pthread_clockjoin_np(t, nullptr, CLOCK_REALTIME, &until), 0);
  pthread_create(&t, nullptr, nothing, nullptr);
  while (pthread_tryjoin_np(t, nullptr) == EBUSY) sched_yield();
  for (uptr i = 1; i <= 3; ++i) EXPECT_EQ(about(r, i).back(), "T0 thread_joined") << i;
  EXPECT_EQ(r.count("thread_joined"), 3u) << "an attempt that fails is no join";
}

TEST(InterceptThreads, DetachedByCallAndByAttribute) {
  Recording r;
  static sem_t done;
  sem_init(&done, 0, 0);
  auto post = [](void*) -> void* {
    sem_post(&done);
    return nullptr;
  };
  pthread_t t;
  pthread_create(&t, nullptr, post, nullptr);
  pthread_detach(t);
  pthread_attr_t a;
  pthread_attr_init(&a);
  pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
  pthread_create(&t, &a, post, nullptr);
  sem_wait(&done);
  sem_wait(&done);
  while (r.count("thread_finishing") != 2) sched_yield();  // nobody else could say so
  EXPECT_EQ(r.named("thread_detached"), Events{"T0 1"});
  EXPECT_EQ(r.named("thread_creating detached"), Events{"T0 2"});
}

TEST(InterceptThreads, AThreadThatCannotBeCreatedTakesItsTicketBack) {
  Recording r;
  pthread_attr_t a;
  pthread_attr_init(&a);
  ASSERT_EQ(pthread_attr_setstacksize(&a, usize{1} << 46), 0);
  pthread_t t;
  EXPECT_EQ(pthread_create(&t, &a, nothing, nullptr), EAGAIN);
  EXPECT_EQ(about(r, 1), (Events{"T0 thread_creating", "T0 thread_creation_failed"}));
}

TEST(InterceptThreads, TheSmallestStackIsEnough) {
  Recording r;
  pthread_attr_t a;
  pthread_attr_init(&a);
  ASSERT_EQ(pthread_attr_setstacksize(&a, static_cast<usize>(PTHREAD_STACK_MIN)), 0);
  pthread_t t;
  ASSERT_EQ(pthread_create(&t, &a, nothing, nullptr), 0);
  pthread_join(t, nullptr);
  EXPECT_EQ(about(r, 1)[1], "T1 thread_started");
}

TEST(InterceptThreads, StackOfTheProgramsOwn) {
  Recording r;
  alignas(4096) static char stack[256 * 1024];
  pthread_attr_t a;
  pthread_attr_init(&a);
  ASSERT_EQ(pthread_attr_setstack(&a, stack, sizeof stack), 0);
  pthread_t t;
  ASSERT_EQ(pthread_create(&t, &a, nothing, nullptr), 0);
  pthread_join(t, nullptr);
  EXPECT_EQ(about(r, 1)[1], "T1 thread_started");
}

TEST(InterceptThreads, C11) {
  Recording r;
  thrd_t t;
  ASSERT_EQ(thrd_create(
                &t, [](void*) { return 42; }, nullptr),
            thrd_success);
  int result = 0;
  ASSERT_EQ(thrd_join(t, &result), thrd_success);
  EXPECT_EQ(result, 42);
  ASSERT_EQ(thrd_create(
                &t, [](void*) -> int { thrd_exit(7); }, nullptr),
            thrd_success);
  ASSERT_EQ(thrd_join(t, &result), thrd_success);
  EXPECT_EQ(result, 7);
  for (uptr i : {1, 2})
    EXPECT_EQ(about(r, i),
              (Events{"T0 thread_creating", "T" + std::to_string(i) + " thread_started",
                      "T" + std::to_string(i) + " thread_finishing", "T0 thread_joined"}));
}

// The C library makes the thread of a timer by itself.
TEST(InterceptThreads, ATimersThreadIsOrderedAfterWhoArmedItAndItsEndIsTold) {
  static sem_t expired;
  sem_init(&expired, 0, 0);
  Recording r;
  sigevent event = {};
  event.sigev_notify = SIGEV_THREAD;
  event.sigev_value.sival_int = 5;
  event.sigev_notify_function = [](sigval value) {
    if (value.sival_int == 5) sem_post(&expired);
  };
  timer_t timer;
  ASSERT_EQ(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
  itimerspec soon = {{0, 0}, {0, 1}};
  ASSERT_EQ(timer_settime(timer, 0, &soon, nullptr), 0);
  sem_wait(&expired);
  while (r.count("thread_finishing") != 1) sched_yield();  // nobody else could say so
  timer_delete(timer);
  Events released = r.named("release"), acquired = r.named("acquire");
  ASSERT_GE(released.size(), 2u);
  ASSERT_GE(acquired.size(), 1u);
  EXPECT_EQ(released[0], released[1]);
  EXPECT_EQ(acquired[0], released[0]);
}

TEST(InterceptThreads, Names) {
  Recording r;
  static sem_t go;
  sem_init(&go, 0, 0);
  pthread_t t;
  pthread_create(
      &t, nullptr,
      [](void*) -> void* {
        sem_wait(&go);
        return nullptr;
      },
      nullptr);
  pthread_setname_np(t, "worker");
  sem_post(&go);
  pthread_join(t, nullptr);
  EXPECT_EQ(r.named("thread_named worker"), Events{"T0 1"});
}

}  // namespace
}  // namespace bigfoot::rt::testing
