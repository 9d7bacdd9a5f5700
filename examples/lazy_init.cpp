// A dictionary is loaded when it is first asked for.
//
// The race: `get` tests the pointer without a lock, so a thread may see it before the dictionary
// behind it is complete, and two threads may both load. A faster machine or another compiler makes
// it fail; it is wrong on all of them.
#include <cstdio>
#include <map>
#include <string>
#include <thread>

using Dictionary = std::map<std::string, std::string>;

Dictionary* dictionary = nullptr;

const Dictionary& get() {
  if (dictionary == nullptr) {
    dictionary = new Dictionary{{"cat", "chat"}, {"dog", "chien"}};
  }
  return *dictionary;
}

int main() {
  std::thread first([] { std::printf("cat: %s\n", get().at("cat").c_str()); });
  std::thread second([] { std::printf("dog: %s\n", get().at("dog").c_str()); });
  first.join();
  second.join();
}
