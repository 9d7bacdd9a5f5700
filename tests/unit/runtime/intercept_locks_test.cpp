// Locks, conditions, semaphores, barriers, once: which event, and on which side of the real
// operation.
#include <cxxabi.h>
#include <errno.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <time.h>

#include <mutex>
#include <thread>

#include "tests/unit/runtime/recorded_events.h"

namespace bigfoot::rt::testing {
namespace {

using Events = std::vector<std::string>;

timespec in_the_past() {
  return {1, 0};
}
timespec far_away() {
  return {time(nullptr) + 1000, 0};
}

template <class F>
void on_other_thread(F f) {
  std::thread(f).join();
}

// --- mutexes
// ----------------------------------------------------------------------------------------

TEST(InterceptMutex, EveryWayToTakeItIsTakenAfterwardsAndGivenUpBefore) {
  pthread_mutex_t m;
  timespec until = far_away();
  Recording r;
  pthread_mutex_init(&m, nullptr);
  bool held_at_lock = true, held_at_unlock = true;
  auto held = [&] {
    bool busy = false;
    std::thread([&] { busy = pthread_mutex_trylock(&m) == EBUSY; }).join();
    return busy;
  };
  r.at("mutex_locked write", &m, [&] { held_at_lock = held_at_lock && held(); });
  r.at("mutex_unlocking", &m, [&] { held_at_unlock = held_at_unlock && held(); });
  pthread_mutex_lock(&m);
  pthread_mutex_unlock(&m);
  pthread_mutex_trylock(&m);
  pthread_mutex_unlock(&m);
  pthread_mutex_timedlock(&m, &until);
  pthread_mutex_unlock(&m);
  pthread_mutex_clocklock(&m, CLOCK_REALTIME, &until);
  pthread_mutex_unlock(&m);
  pthread_mutex_destroy(&m);
  Events expected{"T0 mutex_created"};
  for (int i = 0; i < 4; ++i) {
    expected.push_back("T0 mutex_locked write");
    expected.push_back("T0 mutex_unlocking");
  }
  expected.push_back("T0 mutex_destroyed");
  EXPECT_EQ(r.on(&m), expected);
  EXPECT_TRUE(held_at_lock);
  EXPECT_TRUE(held_at_unlock);
}

TEST(InterceptMutex, AFailedAttemptIsNoEvent) {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  timespec past = in_the_past();
  pthread_mutex_lock(&m);
  Recording r;
  on_other_thread([&] {
    EXPECT_EQ(pthread_mutex_trylock(&m), EBUSY);
    EXPECT_EQ(pthread_mutex_timedlock(&m, &past), ETIMEDOUT);
  });
  EXPECT_EQ(r.on(&m), Events{});
}

TEST(InterceptMutex, RecursiveIsTold) {
  pthread_mutex_t m;
  pthread_mutexattr_t a;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
  Recording r;
  pthread_mutex_init(&m, &a);
  EXPECT_EQ(r.on(&m), Events{"T0 mutex_created recursive"});
}

TEST(InterceptMutex, ADeadOwnersMutexIsRepairedThenTaken) {
  pthread_mutex_t m;
  pthread_mutexattr_t a;
  pthread_mutexattr_init(&a);
  pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&m, &a);
  on_other_thread([&] { pthread_mutex_lock(&m); });
  Recording r;
  EXPECT_EQ(pthread_mutex_lock(&m), EOWNERDEAD);
  EXPECT_EQ(pthread_mutex_consistent(&m), 0);
  pthread_mutex_unlock(&m);
  EXPECT_EQ(r.on(&m), (Events{"T0 mutex_repaired", "T0 mutex_locked write", "T0 mutex_repaired",
                              "T0 mutex_unlocking"}));
}

TEST(InterceptMutex, NothingIsRecordedInsideTheRuntime) {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  Recording r;
  {
    InsideRuntime inside;
    pthread_mutex_lock(&m);
    EXPECT_EQ(pthread_mutex_trylock(&m), EBUSY) << "the real function must run all the same";
    pthread_mutex_unlock(&m);
  }
  EXPECT_EQ(r.on(&m), Events{});
}

TEST(InterceptMutex, C11) {
  mtx_t m;
  timespec until = far_away();
  Recording r;
  mtx_init(&m, mtx_timed | mtx_recursive);
  mtx_lock(&m);
  mtx_unlock(&m);
  mtx_trylock(&m);
  mtx_unlock(&m);
  mtx_timedlock(&m, &until);
  mtx_unlock(&m);
  mtx_destroy(&m);
  Events expected{"T0 mutex_created recursive"};
  for (int i = 0; i < 3; ++i) {
    expected.push_back("T0 mutex_locked write");
    expected.push_back("T0 mutex_unlocking");
  }
  expected.push_back("T0 mutex_destroyed");
  EXPECT_EQ(r.on(&m), expected);
}

TEST(InterceptRwlock, ReadersAndWritersAreToldApart) {
  pthread_rwlock_t l;
  timespec until = far_away(), past = in_the_past();
  Recording r;
  pthread_rwlock_init(&l, nullptr);
  pthread_rwlock_rdlock(&l);
  pthread_rwlock_unlock(&l);
  pthread_rwlock_tryrdlock(&l);
  pthread_rwlock_unlock(&l);
  pthread_rwlock_timedrdlock(&l, &until);
  pthread_rwlock_unlock(&l);
  pthread_rwlock_clockrdlock(&l, CLOCK_REALTIME, &until);
  EXPECT_EQ(pthread_rwlock_trywrlock(&l), EBUSY);
  EXPECT_EQ(pthread_rwlock_timedwrlock(&l, &past), ETIMEDOUT);
  pthread_rwlock_unlock(&l);
  pthread_rwlock_wrlock(&l);
  pthread_rwlock_unlock(&l);
  pthread_rwlock_trywrlock(&l);
  pthread_rwlock_unlock(&l);
  pthread_rwlock_timedwrlock(&l, &until);
  pthread_rwlock_unlock(&l);
  pthread_rwlock_clockwrlock(&l, CLOCK_REALTIME, &until);
  pthread_rwlock_unlock(&l);
  pthread_rwlock_destroy(&l);
  Events expected{"T0 mutex_created"};
  for (const char* mode : {"read", "write"})
    for (int i = 0; i < 4; ++i) {
      expected.push_back(std::string("T0 mutex_locked ") + mode);
      expected.push_back("T0 mutex_unlocking");
    }
  expected.push_back("T0 mutex_destroyed");
  EXPECT_EQ(r.on(&l), expected);
}

TEST(InterceptSpin, LockTryUnlock) {
  pthread_spinlock_t l;
  Recording r;
  pthread_spin_init(&l, PTHREAD_PROCESS_PRIVATE);
  pthread_spin_lock(&l);
  EXPECT_EQ(pthread_spin_trylock(&l), EBUSY);
  pthread_spin_unlock(&l);
  EXPECT_EQ(pthread_spin_trylock(&l), 0);
  pthread_spin_unlock(&l);
  pthread_spin_destroy(&l);
  EXPECT_EQ(r.on(&l),
            (Events{"T0 mutex_created", "T0 mutex_locked write", "T0 mutex_unlocking",
                    "T0 mutex_locked write", "T0 mutex_unlocking", "T0 mutex_destroyed"}));
}

// --- conditions
// -------------------------------------------------------------------------------------

// Schedules are perturbed where a lock was tried, whether it was free or not.
TEST(InterceptTry, EveryTryIsTold) {
  const Recording watched;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_rwlock_t readers = PTHREAD_RWLOCK_INITIALIZER, writer = PTHREAD_RWLOCK_INITIALIZER;
  pthread_spinlock_t spin;
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  mtx_t c11;
  mtx_init(&c11, mtx_plain);
  const auto expect_told = [](const volatile void* lock, auto attempt, const char* what) {
    for (const bool free : {true, false}) {
      last_tried = 0;
      EXPECT_EQ(attempt() == 0, free) << what;
      EXPECT_EQ(last_tried, reinterpret_cast<uptr>(lock)) << what << (free ? ", free" : ", busy");
    }
  };
  expect_told(
      &mutex, [&] { return pthread_mutex_trylock(&mutex); }, "mutex");
  expect_told(
      &writer, [&] { return pthread_rwlock_trywrlock(&writer); }, "writer");
  expect_told(
      &spin, [&] { return pthread_spin_trylock(&spin); }, "spin lock");
  expect_told(
      &c11, [&] { return mtx_trylock(&c11); }, "C11 mutex");
  last_tried = 0;
  EXPECT_EQ(pthread_rwlock_tryrdlock(&readers), 0);
  EXPECT_EQ(last_tried, reinterpret_cast<uptr>(&readers));
  last_tried = 0;
  pthread_mutex_unlock(&mutex);
  pthread_mutex_lock(&mutex);
  EXPECT_EQ(last_tried, 0u) << "waiting for a lock is no try";
  pthread_mutex_unlock(&mutex);
}

TEST(InterceptCondition, AWaitGivesTheMutexUpAndTakesBackAsOftenAsItWasHeld) {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  timespec past = in_the_past();
  pthread_mutex_lock(&m);
  Recording r;
  EXPECT_EQ(pthread_cond_timedwait(&c, &m, &past), ETIMEDOUT);
  EXPECT_EQ(pthread_cond_clockwait(&c, &m, CLOCK_MONOTONIC, &past), ETIMEDOUT);
  // The recorded core says that it was held three times.
  EXPECT_EQ(r.on(&m), (Events{"T0 mutex_release_all", "T0 mutex_reacquire 3",
                              "T0 mutex_release_all", "T0 mutex_reacquire 3"}));
}

TEST(InterceptCondition, TheWakerTakesTheMutexBetweenTheTwoEvents) {
  pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  bool woken = false;
  Recording r;
  pthread_mutex_lock(&m);
  std::thread waker([&] {
    pthread_mutex_lock(&m);  // only possible once the other waits
    woken = true;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
  });
  while (!woken) pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  waker.join();
  EXPECT_EQ(r.on(&m),
            (Events{"T0 mutex_locked write", "T0 mutex_release_all", "T1 mutex_locked write",
                    "T1 mutex_unlocking", "T0 mutex_reacquire 3", "T0 mutex_unlocking"}));
  EXPECT_EQ(r.on(&c), Events{}) << "the mutex carries the order";
}

TEST(InterceptCondition, ACancelledWaitHoldsTheMutexAgainInItsCleanUp) {
  static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
  static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
  static sem_t waiting;
  sem_init(&waiting, 0, 0);
  Recording r;
  pthread_t t;
  pthread_create(
      &t, nullptr,
      [](void*) -> void* {
        pthread_mutex_lock(&m);
        pthread_cleanup_push([](void*) { pthread_mutex_unlock(&m); }, nullptr);
        sem_post(&waiting);
        for (;;) pthread_cond_wait(&c, &m);
        pthread_cleanup_pop(0);
        return nullptr;
      },
      nullptr);
  sem_wait(&waiting);
  pthread_cancel(t);
  void* result = nullptr;
  pthread_join(t, &result);
  EXPECT_EQ(result, PTHREAD_CANCELED);
  EXPECT_EQ(r.on(&m), (Events{"T1 mutex_locked write", "T1 mutex_release_all",
                              "T1 mutex_reacquire 3", "T1 mutex_unlocking"}));
}

TEST(InterceptCondition, C11) {
  mtx_t m;
  cnd_t c;
  timespec past = in_the_past();
  mtx_init(&m, mtx_timed);
  cnd_init(&c);
  mtx_lock(&m);
  Recording r;
  EXPECT_EQ(cnd_timedwait(&c, &m, &past), thrd_timedout);
  EXPECT_EQ(r.on(&m), (Events{"T0 mutex_release_all", "T0 mutex_reacquire 3"}));
}

// --- semaphores, barriers
// ----------------------------------------------------------------------------

TEST(InterceptSemaphore, PostReleasesBeforeAndWaitAcquiresAfter) {
  sem_t s;
  sem_init(&s, 0, 0);
  int at_release = -1, at_acquire = -1;
  timespec until = far_away(), past = in_the_past();
  Recording r;
  r.at("release", &s, [&] { sem_getvalue(&s, &at_release); });
  r.at("acquire", &s, [&] { sem_getvalue(&s, &at_acquire); });
  sem_post(&s);
  EXPECT_EQ(at_release, 0);
  sem_wait(&s);
  EXPECT_EQ(at_acquire, 0);
  EXPECT_EQ(sem_trywait(&s), -1);
  EXPECT_EQ(sem_timedwait(&s, &past), -1);
  sem_post(&s);
  sem_trywait(&s);
  sem_post(&s);
  sem_timedwait(&s, &until);
  sem_post(&s);
  sem_clockwait(&s, CLOCK_REALTIME, &until);
  sem_destroy(&s);
  Events expected;
  for (int i = 0; i < 4; ++i) {
    expected.push_back("T0 release");
    expected.push_back("T0 acquire");
  }
  expected.push_back("T0 forget");
  EXPECT_EQ(r.on(&s), expected);
}

TEST(InterceptBarrier, AllArrivalsComeBeforeTheFirstDeparture) {
  pthread_barrier_t b;
  pthread_barrier_init(&b, nullptr, 3);
  Recording r;
  std::thread one([&] { pthread_barrier_wait(&b); });
  std::thread two([&] { pthread_barrier_wait(&b); });
  pthread_barrier_wait(&b);
  one.join();
  two.join();
  pthread_barrier_destroy(&b);
  Events events = r.on(&b);
  ASSERT_EQ(events.size(), 7u);
  for (usize i = 0; i < 3; ++i) EXPECT_EQ(events[i].substr(3), "barrier_arrive");
  for (usize i = 3; i < 6; ++i) EXPECT_EQ(events[i].substr(3), "barrier_depart");
  EXPECT_EQ(events[6], "T0 forget");
}

// --- once
// -------------------------------------------------------------------------------------------

pthread_once_t outer_once = PTHREAD_ONCE_INIT, inner_once = PTHREAD_ONCE_INIT;
int inner_runs;

TEST(InterceptOnce, TheFunctionsEndIsReleasedBeforeAnyoneAcquires) {
  outer_once = inner_once = PTHREAD_ONCE_INIT;
  inner_runs = 0;
  Recording r;
  auto outer = [] { pthread_once(&inner_once, [] { ++inner_runs; }); };
  pthread_once(&outer_once, outer);
  pthread_once(&outer_once, outer);
  EXPECT_EQ(inner_runs, 1);
  EXPECT_EQ(r.on(&inner_once), (Events{"T0 acquire", "T0 release", "T0 acquire"}));
  EXPECT_EQ(r.on(&outer_once), (Events{"T0 acquire", "T0 release", "T0 acquire", "T0 acquire"}))
      << "a nested call must not take the place of the outer one";
}

TEST(InterceptOnce, ARunThatThrowsIsReleasedAfterItsDestructorsAndTheNextRunAcquiresIt) {
  std::once_flag flag;
  int runs = 0;
  bool released_too_early = false;
  Recording r;
  auto function = [&] {
    struct Local {
      ~Local() { too_early = r.count("release") != 0; }
      Recording& r;
      bool& too_early;
    };
    if (++runs > 1) return;
    Local local{r, released_too_early};
    throw 7;
  };
  EXPECT_THROW(std::call_once(flag, function), int);
  EXPECT_EQ(r.on(&flag), (Events{"T0 acquire", "T0 release"}));
  EXPECT_FALSE(released_too_early);
  std::call_once(flag, function);
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(r.on(&flag),
            (Events{"T0 acquire", "T0 release", "T0 acquire", "T0 release", "T0 acquire"}));
}

TEST(InterceptOnce, ARunInWhichTheThreadEndsIsReleased) {
  static pthread_once_t once;
  once = PTHREAD_ONCE_INIT;
  Recording r;
  pthread_t t;
  pthread_create(
      &t, nullptr,
      [](void*) -> void* {
        pthread_once(&once, [] { pthread_exit(nullptr); });
        return nullptr;
      },
      nullptr);
  pthread_join(t, nullptr);
  EXPECT_EQ(r.on(&once), (Events{"T1 acquire", "T1 release"}));
}

TEST(InterceptOnce, C11) {
  static int runs;
  runs = 0;
  once_flag flag = ONCE_FLAG_INIT;
  Recording r;
  call_once(&flag, [] { ++runs; });
  call_once(&flag, [] { ++runs; });
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(r.on(&flag), (Events{"T0 acquire", "T0 release", "T0 acquire", "T0 acquire"}));
}

TEST(InterceptGuard, InitialisersReleaseEveryoneAcquires) {
  __cxxabiv1::__guard guard = 0;
  Recording r;
  EXPECT_EQ(__cxxabiv1::__cxa_guard_acquire(&guard), 1);
  __cxxabiv1::__cxa_guard_abort(&guard);
  EXPECT_EQ(__cxxabiv1::__cxa_guard_acquire(&guard), 1);
  __cxxabiv1::__cxa_guard_release(&guard);
  EXPECT_EQ(__cxxabiv1::__cxa_guard_acquire(&guard), 0);
  EXPECT_EQ(r.on(&guard),
            (Events{"T0 acquire", "T0 release", "T0 acquire", "T0 release", "T0 acquire"}));
}

}  // namespace
}  // namespace bigfoot::rt::testing
