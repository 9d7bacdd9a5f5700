#include "runtime/report/field_names.h"

#include "abi/fields.h"
#include "runtime/report/elf_image.h"

namespace bigfoot::rt::report {

// Names are looked for in the file each time. A megabyte of them, which is some 20,000 members,
// takes a millisecond, and each report asks twice.
bool find_field(const char* path, u32 number, TextBuffer& name) {
  TextBuffer section;
  if (number == 0 || !read_section(path, abi::kFieldSection, section)) return false;
  Text found;
  for (Text rest = section.text(); !rest.empty();) {
    const usize n = rest.find('\0');
    const Text next = rest.take_front(n);
    rest = rest.drop_front(n + 1);
    if (abi::field_number(next.data, next.size) != number) continue;
    // A linker that does not merge leaves equal ones.
    if (!found.empty() && !(found == next)) return false;
    found = next;
  }
  name.clear();
  name.add(found);
  return !found.empty();
}

}  // namespace bigfoot::rt::report
