// lazy_init.cpp, fixed: a function-local static is initialised once, and whoever finds it
// initialised is ordered after that. The language does the work.
#include <cstdio>
#include <map>
#include <string>
#include <thread>

using Dictionary = std::map<std::string, std::string>;

const Dictionary& get() {
  static const Dictionary dictionary{{"cat", "chat"}, {"dog", "chien"}};
  return dictionary;
}

int main() {
  std::thread first([] { std::printf("cat: %s\n", get().at("cat").c_str()); });
  std::thread second([] { std::printf("dog: %s\n", get().at("dog").c_str()); });
  first.join();
  second.join();
}
