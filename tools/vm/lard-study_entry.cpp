#include "tools/vm/vm_main.h"

int main(int argc, char** argv) {
  return bigfoot::tools::study_main(argc, argv);
}
