#include "tools/place/place_main.h"

int main(int argc, char** argv) {
  return bigfoot::tools::place_main(argc, argv);
}
