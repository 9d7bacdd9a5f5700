// The campaign's operator new. Placing, verifying and exploring a program allocates small nodes by
// the hundred thousand and frees them soon after; with the C library's allocator that was a quarter
// of a run. Blocks of up to a kilobyte are kept in lists by size and never given back.
#include <array>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t kGrain = 16;
constexpr std::size_t kLargest = 1024;
constexpr std::size_t kChunk = std::size_t{1} << 20;

// In front of every block, because not every delete says the size. As wide as a grain, to keep what
// follows aligned.
struct alignas(kGrain) Header {
  std::size_t grains;  // of the whole block; 0: from malloc
};
static_assert(sizeof(Header) == kGrain);

class Pool {
 public:
  void* allocate(std::size_t size) {
    const std::size_t grains = (size + sizeof(Header) + kGrain - 1) / kGrain;
    if (grains * kGrain > kLargest) return started(std::malloc(grains * kGrain), 0);
    Free*& list = free_[grains];
    if (list != nullptr) {
      Free* block = list;
      list = block->next;
      return started(block, grains);
    }
    if (left_ < grains * kGrain) {
      next_ = static_cast<std::byte*>(std::malloc(kChunk));
      left_ = next_ == nullptr ? 0 : kChunk;
    }
    std::byte* block = next_;
    if (block != nullptr) {
      next_ += grains * kGrain;
      left_ -= grains * kGrain;
    }
    return started(block, grains);
  }

  void release(void* p) {
    if (p == nullptr) return;
    Header* header = static_cast<Header*>(p) - 1;
    if (header->grains == 0) return std::free(header);
    Free*& list = free_[header->grains];
    list = new (header) Free{list};
  }

 private:
  struct Free {
    Free* next;
  };
  static void* started(void* block, std::size_t grains) {
    if (block == nullptr) std::abort();
    return new (block) Header{grains} + 1;
  }

  std::array<Free*, kLargest / kGrain + 1> free_{};
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;
};

// A block freed by another thread goes to that thread's lists; nothing is shared.
thread_local constinit Pool pool;

}  // namespace

void* operator new(std::size_t size) {
  return pool.allocate(size);
}
void operator delete(void* p) noexcept {
  pool.release(p);
}
void operator delete(void* p, std::size_t) noexcept {
  pool.release(p);
}
