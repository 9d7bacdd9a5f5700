#include "runtime/shadow/masked.h"

#include "runtime/shadow/read_sets.h"

namespace bigfoot::rt {

static_assert(
    Masked::of(Masked{5, 7, 0x3c, 0x81, MosaicId{0xabcde}, MosaicId{0x54321}, true}.masked())
        .readers == MosaicId{0x54321});
// What begins with two ones is the name of no set.
static_assert(ReadSets::kSets <= usize{1} << 30);

Cell Masked::whole_or_masked() const {
  const Origin writer = wrote != 0 ? shadow::mosaics.single(writers) : kNoOrigin;
  const Origin reader = did_read != 0 ? shadow::mosaics.single(readers) : kNoOrigin;
  if ((wrote != 0 && writer == kNoOrigin) || (did_read != 0 && reader == kNoOrigin))
    return masked();
  Cell c = did_read == 0 ? written(write, raw(writer))
                         : Cell{wrote != 0 ? write : 0, raw(writer), read, raw(reader)};
  if (cut_out) c.write_origin |= kCutOut;
  return c;
}

Cell Masked::of_byte(unsigned i) const {
  const u32 bit = 1u << i;
  Cell c;
  if ((wrote & bit) != 0) c = written(write, raw(shadow::mosaics.origin(writers, i)));
  if ((did_read & bit) != 0) {
    c.read = read;
    c.read_origin = raw(shadow::mosaics.origin(readers, i));
  }
  return c;
}

}  // namespace bigfoot::rt
