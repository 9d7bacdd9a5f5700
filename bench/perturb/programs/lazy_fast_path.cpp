// The second caller usually finds the object made and takes the lock for nothing; only if both come
// first do two initialisations meet the plain flag.
#include <atomic>
#include <mutex>
#include <thread>
std::mutex lock;
std::atomic<bool> made;
int makers;
void get() {
  if (made.load()) return;
  ++makers;  // meant to be rare, and unlocked
  std::lock_guard<std::mutex> hold(lock);
  made.store(true);
}
int main() {
  std::thread a(get), b(get);
  a.join();
  b.join();
}
