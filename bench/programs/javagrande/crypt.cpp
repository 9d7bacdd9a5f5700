// crypt: IDEA encryption and decryption of a byte array (Java Grande, section 2).
//
// Each thread takes a contiguous run of 8-byte blocks, reads it from one shared array and writes
// another. Threads are started twice, for the two directions. The plainest of patterns: whole
// arrays, read or written once, block by block.
//
// Valid if decryption gives the text back and the cipher agrees with the test vector of its authors
// (X. Lai, "On the Design and Security of Block Ciphers": key 1..8, text 0 1 2 3).
#include <array>
#include <cstdint>
#include <vector>

#include "bench/programs/common/java_random.h"
#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"

namespace {

using bench::BySize;

constexpr BySize<std::size_t> kBytes{8'000, 400'000, 3'000'000, 20'000'000, 50'000'000};
constexpr std::size_t kBlockBytes = 8;
constexpr int kRounds = 8;
constexpr int kSubkeys = 6 * kRounds + 4;

using UserKey = std::array<std::uint16_t, 8>;
using Subkeys = std::array<std::uint16_t, kSubkeys>;
using Bytes = std::vector<std::uint8_t>;

// Multiplication modulo 65537, where the word 0 stands for 65536.
inline std::uint16_t mul(std::uint16_t a, std::uint16_t b) {
  if (a == 0) return static_cast<std::uint16_t>(1 - b);
  if (b == 0) return static_cast<std::uint16_t>(1 - a);
  const std::uint32_t product = static_cast<std::uint32_t>(a) * b;
  const auto low = static_cast<std::uint16_t>(product);
  const auto high = static_cast<std::uint16_t>(product >> 16);
  return static_cast<std::uint16_t>(low - high + (low < high ? 1 : 0));
}

// 65537 is prime, so the inverse of a is a^65535.
std::uint16_t mul_inverse(std::uint16_t a) {
  std::uint16_t power = a;
  for (int bit = 0; bit < 15; ++bit) power = mul(mul(power, power), a);
  return power;
}

std::uint16_t add_inverse(std::uint16_t a) {
  return static_cast<std::uint16_t>(-a);
}

// The subkeys are the 128-bit key read as words, rotated left by 25 bits after every eight.
Subkeys encryption_keys(const UserKey& user) {
  unsigned __int128 key = 0;
  for (std::uint16_t word : user) key = key << 16 | word;
  Subkeys subkeys{};
  for (int i = 0; i < kSubkeys; ++i) {
    subkeys[i] = static_cast<std::uint16_t>(key >> (112 - 16 * (i % 8)));
    if (i % 8 == 7) key = key << 25 | key >> 103;
  }
  return subkeys;
}

// Decryption runs the rounds backwards with inverse keys; the two middle words of all but the outer
// layers change places because encryption swaps them.
Subkeys decryption_keys(const Subkeys& encrypt) {
  Subkeys decrypt{};
  for (int layer = 0; layer <= kRounds; ++layer) {
    const std::uint16_t* from = &encrypt[6 * (kRounds - layer)];
    std::uint16_t* to = &decrypt[6 * layer];
    const bool outer = layer == 0 || layer == kRounds;
    to[0] = mul_inverse(from[0]);
    to[1] = add_inverse(from[outer ? 1 : 2]);
    to[2] = add_inverse(from[outer ? 2 : 1]);
    to[3] = mul_inverse(from[3]);
    if (layer < kRounds) {
      to[4] = encrypt[6 * (kRounds - 1 - layer) + 4];
      to[5] = encrypt[6 * (kRounds - 1 - layer) + 5];
    }
  }
  return decrypt;
}

inline std::uint16_t load_word(const std::uint8_t* bytes) {
  return static_cast<std::uint16_t>(bytes[0] << 8 | bytes[1]);
}

inline void store_word(std::uint8_t* bytes, std::uint16_t word) {
  bytes[0] = static_cast<std::uint8_t>(word >> 8);
  bytes[1] = static_cast<std::uint8_t>(word);
}

inline void cipher_block(const std::uint8_t* in, std::uint8_t* out, const Subkeys& subkeys) {
  std::uint16_t x1 = load_word(in), x2 = load_word(in + 2), x3 = load_word(in + 4),
                x4 = load_word(in + 6);
  const std::uint16_t* key = subkeys.data();
  for (int round = 0; round < kRounds; ++round, key += 6) {
    x1 = mul(x1, key[0]);
    x2 = static_cast<std::uint16_t>(x2 + key[1]);
    x3 = static_cast<std::uint16_t>(x3 + key[2]);
    x4 = mul(x4, key[3]);
    const std::uint16_t t = mul(static_cast<std::uint16_t>(x1 ^ x3), key[4]);
    const std::uint16_t u = mul(static_cast<std::uint16_t>((x2 ^ x4) + t), key[5]);
    const auto v = static_cast<std::uint16_t>(t + u);
    x1 ^= u;
    x4 ^= v;
    const auto swapped = static_cast<std::uint16_t>(x2 ^ v);
    x2 = static_cast<std::uint16_t>(x3 ^ u);
    x3 = swapped;
  }
  store_word(out, mul(x1, key[0]));
  store_word(out + 2, static_cast<std::uint16_t>(x3 + key[1]));
  store_word(out + 4, static_cast<std::uint16_t>(x2 + key[2]));
  store_word(out + 6, mul(x4, key[3]));
}

// One method for a whole stretch of text, as in the original.
void cipher_idea(const std::uint8_t* in, std::uint8_t* out, std::size_t bytes,
                 const Subkeys& subkeys) {
  for (std::size_t i = 0; i < bytes; i += kBlockBytes) cipher_block(in + i, out + i, subkeys);
}

void cipher(const Bytes& in, Bytes& out, const Subkeys& subkeys, int threads) {
  bench::run_team(threads, [&](int id) {
    const auto [begin, end] = bench::block_of(0, in.size(), id, threads, kBlockBytes);
    cipher_idea(in.data() + begin, out.data() + begin, end - begin, subkeys);
  });
}

bool matches_test_vector() {
  constexpr UserKey kKey{1, 2, 3, 4, 5, 6, 7, 8};
  constexpr std::array<std::uint8_t, 8> kText{0, 0, 0, 1, 0, 2, 0, 3};
  constexpr std::array<std::uint8_t, 8> kCipher{0x11, 0xFB, 0xED, 0x2B, 0x01, 0x98, 0x6D, 0xE5};
  std::array<std::uint8_t, 8> out{};
  cipher_idea(kText.data(), out.data(), out.size(), encryption_keys(kKey));
  return out == kCipher;
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const std::size_t bytes = kBytes[options.size];
  bench::JavaRandom random(136506717);
  UserKey user{};
  for (auto& word : user) word = static_cast<std::uint16_t>(random.next_int());
  const Subkeys encrypt = encryption_keys(user);
  const Subkeys decrypt = decryption_keys(encrypt);
  Bytes plain(bytes), secret(bytes), back(bytes);
  for (std::size_t i = 0; i < bytes; ++i) plain[i] = static_cast<std::uint8_t>(i);

  timer.start();
  cipher(plain, secret, encrypt, options.threads);
  cipher(secret, back, decrypt, options.threads);
  timer.stop();

  return {matches_test_vector() && back == plain && secret != plain,
          bench::format("%zu bytes", bytes)};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "crypt", run);
}
