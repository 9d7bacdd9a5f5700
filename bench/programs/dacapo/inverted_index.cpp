// inverted_index: half of the threads index documents while the others search what is there; then
// all search the finished index. In the spirit of luindex and lusearch of the DaCapo suite.
//
// The index is split into shards, each a hash map from term to postings under a reader-writer lock.
// Strings, hash maps and growing vectors, shared under many locks.
//
// Valid if the postings count every word of every document once and if sampled two-term searches
// agree with a scan of the documents.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bench/programs/common/mix.h"
#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"

namespace {

struct Workload {
  std::uint32_t documents;
  std::uint32_t vocabulary;
  std::uint32_t queries;
};

constexpr bench::BySize<Workload> kWorkload{{60, 400, 60},
                                            {1'000, 4'000, 1'000},
                                            {8'000, 20'000, 8'000},
                                            {30'000, 50'000, 30'000},
                                            {120'000, 100'000, 120'000}};
constexpr std::uint32_t kWordsPerDocument = 150;
constexpr std::size_t kShards = 64;
constexpr std::size_t kTopDocuments = 10;

using DocumentId = std::uint32_t;

struct Posting {
  DocumentId document;
  std::uint32_t frequency;
};

struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};

template <typename Value>
using StringMap = std::unordered_map<std::string, Value, StringHash, std::equal_to<>>;

// A pronounceable word for every number: consonant-vowel syllables.
std::string word(std::uint64_t number) {
  constexpr std::string_view kConsonants = "bdfgklmnprstvz", kVowels = "aeiou";
  std::string text;
  do {
    text += kConsonants[number % kConsonants.size()];
    number /= kConsonants.size();
    text += kVowels[number % kVowels.size()];
    number /= kVowels.size();
  } while (number != 0);
  return text;
}

std::string document_text(DocumentId id, const Workload& workload) {
  bench::Random random(id);
  std::string text;
  text.reserve(kWordsPerDocument * 8);
  for (std::uint32_t i = 0; i < kWordsPerDocument; ++i) {
    text += word(random.skewed(workload.vocabulary));
    text += ' ';
  }
  return text;
}

template <typename Use>
void for_each_word(std::string_view text, const Use& use) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (end > begin) use(text.substr(begin, end - begin));
    begin = end + 1;
  }
}

StringMap<std::uint32_t> count_words(std::string_view text) {
  StringMap<std::uint32_t> counts;
  for_each_word(text, [&](std::string_view term) {
    if (const auto found = counts.find(term); found != counts.end()) {
      ++found->second;
    } else {
      counts.emplace(term, 1);
    }
  });
  return counts;
}

class Index {
 public:
  void add(DocumentId id, std::string_view text) {
    for (const auto& [term, frequency] : count_words(text)) {
      Shard& shard = shard_of(term);
      std::unique_lock lock(shard.mutex);
      shard.postings[term].push_back({id, frequency});
    }
  }

  // Puts the postings of one shard in order of documents, so that they can be intersected.
  void finish(std::size_t shard_number) {
    Shard& shard = shards_[shard_number];
    std::unique_lock lock(shard.mutex);
    for (auto& [term, postings] : shard.postings) {
      std::sort(postings.begin(), postings.end(),
                [](const Posting& a, const Posting& b) { return a.document < b.document; });
    }
  }

  // The documents in which the term is most frequent, best first.
  std::vector<Posting> top(std::string_view term) const {
    const Shard& shard = shard_of(term);
    std::shared_lock lock(shard.mutex);
    const auto found = shard.postings.find(term);
    if (found == shard.postings.end()) return {};
    std::vector<Posting> best(std::min(kTopDocuments, found->second.size()));
    std::partial_sort_copy(found->second.begin(), found->second.end(), best.begin(), best.end(),
                           [](const Posting& a, const Posting& b) {
                             return a.frequency != b.frequency ? a.frequency > b.frequency
                                                               : a.document < b.document;
                           });
    return best;
  }

  // The number of documents with both terms. REQUIRES: all shards are finished.
  std::uint32_t count_both(std::string_view a, std::string_view b) const {
    const std::vector<Posting> first = postings(a), second = postings(b);
    std::uint32_t both = 0;
    for (std::size_t i = 0, j = 0; i < first.size() && j < second.size();) {
      if (first[i].document == second[j].document)
        ++both, ++i, ++j;
      else if (first[i].document < second[j].document)
        ++i;
      else
        ++j;
    }
    return both;
  }

  std::uint64_t total_frequency() const {
    std::uint64_t total = 0;
    for (const Shard& shard : shards_) {
      std::shared_lock lock(shard.mutex);
      for (const auto& [term, postings] : shard.postings) {
        for (const Posting& posting : postings) total += posting.frequency;
      }
    }
    return total;
  }

 private:
  struct Shard {
    mutable std::shared_mutex mutex;
    StringMap<std::vector<Posting>> postings;  // guarded by mutex
  };

  static std::size_t shard_number(std::string_view term) { return StringHash()(term) % kShards; }
  Shard& shard_of(std::string_view term) { return shards_[shard_number(term)]; }
  const Shard& shard_of(std::string_view term) const { return shards_[shard_number(term)]; }

  std::vector<Posting> postings(std::string_view term) const {
    const Shard& shard = shard_of(term);
    std::shared_lock lock(shard.mutex);
    const auto found = shard.postings.find(term);
    return found == shard.postings.end() ? std::vector<Posting>{} : found->second;
  }

  std::array<Shard, kShards> shards_;
};

// Terms of query q; the common words are asked for most.
std::array<std::string, 2> query_terms(std::uint32_t query, const Workload& workload) {
  bench::Random random(0x5EA2C4ULL << 32 | query);
  return {word(random.skewed(workload.vocabulary)), word(random.skewed(workload.vocabulary))};
}

struct Counters {
  std::atomic<std::uint32_t> next_document{0};
  std::atomic<std::uint32_t> next_live_query{0};
  std::atomic<std::uint32_t> next_shard{0};
  std::atomic<std::uint32_t> next_query{0};
};

// Results are consistent with each other: best first, no document twice.
bool is_ranking(const std::vector<Posting>& ranking) {
  return std::is_sorted(ranking.begin(), ranking.end(), [](const Posting& a, const Posting& b) {
    return a.frequency != b.frequency ? a.frequency > b.frequency : a.document < b.document;
  });
}

class Session {
 public:
  Session(const Workload& workload, int threads)
      : workload_(workload), threads_(threads), found_(workload.queries) {}

  void run() {
    bench::run_team(threads_, [this](int id) { id % 2 == 0 ? index_documents() : search_live(); });
    // With a single thread there was nobody to search while it indexed.
    search_live();
    bench::run_team(threads_, [this](int) { finish_shards(); });
    bench::run_team(threads_, [this](int) { search_finished(); });
  }

  bool is_valid() const {
    const std::uint64_t words = std::uint64_t{workload_.documents} * kWordsPerDocument;
    return rankings_ok_ && index_.total_frequency() == words && sampled_queries_agree();
  }

 private:
  void index_documents() {
    while (true) {
      const std::uint32_t id = counters_.next_document.fetch_add(1);
      if (id >= workload_.documents) return;
      index_.add(id, document_text(id, workload_));
    }
  }

  void search_live() {
    while (true) {
      const std::uint32_t query = counters_.next_live_query.fetch_add(1);
      if (query >= workload_.queries) return;
      if (!is_ranking(index_.top(query_terms(query, workload_)[0]))) rankings_ok_ = false;
    }
  }

  void finish_shards() {
    for (std::uint32_t shard; (shard = counters_.next_shard.fetch_add(1)) < kShards;)
      index_.finish(shard);
  }

  void search_finished() {
    for (std::uint32_t query; (query = counters_.next_query.fetch_add(1)) < workload_.queries;) {
      const auto terms = query_terms(query, workload_);
      found_[query] = index_.count_both(terms[0], terms[1]);
    }
  }

  bool sampled_queries_agree() const {
    const std::uint32_t stride = workload_.queries / 8 + 1;
    std::vector<std::array<std::string, 2>> sampled;
    std::vector<std::uint32_t> counts, expected;
    for (std::uint32_t query = 0; query < workload_.queries; query += stride) {
      sampled.push_back(query_terms(query, workload_));
      expected.push_back(found_[query]);
    }
    counts.resize(sampled.size());
    for (DocumentId id = 0; id < workload_.documents; ++id) {
      const std::string text = ' ' + document_text(id, workload_);
      for (std::size_t i = 0; i < sampled.size(); ++i) {
        counts[i] += text.find(' ' + sampled[i][0] + ' ') != text.npos &&
                     text.find(' ' + sampled[i][1] + ' ') != text.npos;
      }
    }
    return counts == expected;
  }

  const Workload workload_;
  const int threads_;
  Index index_;
  Counters counters_;
  std::vector<std::uint32_t>
      found_;  // by query; each element written by the thread that drew the query
  std::atomic<bool> rankings_ok_{true};
};

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const Workload& workload = kWorkload[options.size];
  Session session(workload, options.threads);
  timer.start();
  session.run();
  timer.stop();
  return {session.is_valid(),
          bench::format("%u documents, %u searches", workload.documents, 2 * workload.queries)};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "inverted_index", run);
}
