// Input for compressors: text of made-up words, the first of them much likelier, as words of a
// language are. General compressors make it three to four times smaller.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/programs/common/mix.h"

namespace bench {

inline std::vector<std::string> made_up_words(std::size_t count, Random& random) {
  std::vector<std::string> words(count);
  for (std::string& word : words) {
    word.resize(2 + random.below(9));
    for (char& letter : word) letter = static_cast<char>('a' + random.below(26));
  }
  return words;
}

inline std::string compressible_text(std::size_t bytes) {
  constexpr std::size_t kWords = 8'192;
  Random random(7);
  const std::vector<std::string> words = made_up_words(kWords, random);
  std::string text;
  text.reserve(bytes + 16);
  while (text.size() < bytes) {
    const std::uint64_t bits = random.next();
    // The least of three uniform numbers: cheap, and skewed enough.
    const std::uint64_t rank =
        std::min({bits % kWords, (bits >> 16) % kWords, (bits >> 32) % kWords});
    text += words[rank];
    text += (bits >> 48) % 12 == 0 ? '\n' : ' ';
  }
  text.resize(bytes);
  return text;
}

}  // namespace bench
