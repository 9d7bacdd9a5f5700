// librdkafka: threads produce to a cluster that the library mocks in its own process, and consume
// from it again.
//
// One producer handle shared by all threads, one consumer and one partition per thread; besides
// these the library's own threads for brokers, timers and the mock cluster. Message passing over
// queues, sockets and timers.
//
// Valid if every consumer receives exactly the messages of its partition, in order.
#include <rdkafka.h>
#include <rdkafka_mock.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <thread>

#include "bench/programs/common/program.h"
#include "bench/programs/common/team.h"
#include "bench/real/common/scratch_folder.h"

namespace {

constexpr bench::BySize<int> kMessages{50, 2'000, 20'000, 100'000, 400'000};  // of each thread
constexpr const char* kTopic = "measurements";
constexpr int kPollMilliseconds = 100;
constexpr int kPatience = 600;  // polls without a message before giving up

struct HandleDeleter {
  void operator()(rd_kafka_t* handle) const { rd_kafka_destroy(handle); }
};
using Handle = std::unique_ptr<rd_kafka_t, HandleDeleter>;

using Settings = std::initializer_list<std::pair<const char*, std::string>>;

Handle make_handle(rd_kafka_type_t type, Settings settings) {
  char error[256] = "";
  rd_kafka_conf_t* configuration = rd_kafka_conf_new();
  for (const auto& [name, value] : settings) {
    const auto result = rd_kafka_conf_set(configuration, name, value.c_str(), error, sizeof error);
    bench::require(result == RD_KAFKA_CONF_OK, name, error);
  }
  Handle handle(rd_kafka_new(type, configuration, error, sizeof error));
  bench::require(handle != nullptr, "rd_kafka_new", error);
  return handle;
}

struct Message {
  std::int32_t partition;
  std::int32_t number;
  char padding[92];
};

void produce(rd_kafka_t* producer, std::int32_t partition, int messages) {
  for (int i = 0; i < messages; ++i) {
    Message message{partition, i, {}};
    while (true) {
      const rd_kafka_resp_err_t error =
          rd_kafka_producev(producer, RD_KAFKA_V_TOPIC(kTopic), RD_KAFKA_V_PARTITION(partition),
                            RD_KAFKA_V_VALUE(&message, sizeof message),
                            RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
      if (error == RD_KAFKA_RESP_ERR_NO_ERROR) break;
      bench::require(error == RD_KAFKA_RESP_ERR__QUEUE_FULL, "produce", rd_kafka_err2str(error));
      rd_kafka_poll(producer, kPollMilliseconds);
    }
    rd_kafka_poll(producer, 0);
  }
}

// True if the partition holds exactly the messages 0, 1, ... in order.
bool consume(const std::string& brokers, std::int32_t partition, int messages) {
  const Handle consumer = make_handle(
      RD_KAFKA_CONSUMER,
      {{"bootstrap.servers", brokers}, {"group.id", "bench"}, {"auto.offset.reset", "earliest"}});
  rd_kafka_poll_set_consumer(consumer.get());
  rd_kafka_topic_partition_list_t* assigned = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(assigned, kTopic, partition)->offset =
      RD_KAFKA_OFFSET_BEGINNING;
  rd_kafka_assign(consumer.get(), assigned);
  rd_kafka_topic_partition_list_destroy(assigned);
  int received = 0, silent = 0;
  bool in_order = true;
  while (received < messages && silent < kPatience && in_order) {
    rd_kafka_message_t* raw = rd_kafka_consumer_poll(consumer.get(), kPollMilliseconds);
    if (raw == nullptr) {
      ++silent;
      continue;
    }
    if (raw->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      Message message;
      in_order = raw->len == sizeof message;
      if (in_order) {
        std::memcpy(&message, raw->payload, sizeof message);
        in_order = message.partition == partition && message.number == received;
      }
      ++received;
    }
    rd_kafka_message_destroy(raw);
  }
  rd_kafka_consumer_close(consumer.get());
  return in_order && received == messages;
}

bench::Result run(const bench::Options& options, bench::KernelTimer& timer) {
  const int messages = kMessages[options.size];
  const Handle producer =
      make_handle(RD_KAFKA_PRODUCER, {{"test.mock.num.brokers", "1"}, {"linger.ms", "2"}});
  rd_kafka_mock_cluster_t* cluster = rd_kafka_handle_mock_cluster(producer.get());
  bench::require(cluster != nullptr, "mock cluster");
  rd_kafka_mock_topic_create(cluster, kTopic, options.threads, 1);
  const std::string brokers = rd_kafka_mock_cluster_bootstraps(cluster);
  std::atomic<int> complete{0};

  timer.start();
  bench::run_team(options.threads, [&](int id) { produce(producer.get(), id, messages); });
  const bool delivered = rd_kafka_flush(producer.get(), 60'000) == RD_KAFKA_RESP_ERR_NO_ERROR;
  bench::run_team(options.threads, [&](int id) { complete += consume(brokers, id, messages); });
  timer.stop();

  return {delivered && complete == options.threads,
          bench::format("%d messages", messages * options.threads)};
}

}  // namespace

int main(int argc, char** argv) {
  return bench::program_main(argc, argv, "rdkafka", run);
}
