// Words that are kept by masks: which histories are, what becomes of those that do not fit, and
// that every byte keeps its own origin.
#include <gtest/gtest.h>

#include "runtime/detect/masked.h"
#include "tests/unit/runtime/scripted_threads.h"

namespace bigfoot::rt::testing {
namespace {

Tables& tables() {
  static Tables t;
  return t;
}

struct MaskedTest : ::testing::Test {
  uptr x = fresh_memory();
  ScriptedThread a{tables(), kNothing, 1};
  ScriptedThread b{tables(), kNothing, 2};
  ScriptedThread c{tables(), kNothing, 3};
  VectorClock lock;
  const std::set<uptr> none;

  MaskedTest() {
    for (ScriptedThread* t : {&a, &b, &c}) {
      t->set_fast_path(true);
      t->set_masks(true);
    }
  }
  void a_then_b() {
    a.release(lock);
    b.acquire(lock);
  }
  Cell word(uptr at) { return load_cell(shadow::cell<8>(at)); }
  // Scripted accesses have the place 0x1000 behind their address.
  uptr place(Origin o) { return tables().depot.pc(o) - 0x1000; }
};

TEST_F(MaskedTest, TheFormHoldsWhatIsPutIntoIt) {
  const Masked m{0x7ffffffe, 0x12345678, 0x3c, 0xc3, MosaicId{0xffffe}, MosaicId{0x80001}, true};
  const Cell c = m.masked();
  EXPECT_TRUE(is_masked(c.write) && has_masked_tag(c.read) && !c.torn());
  EXPECT_FALSE(c.has_sync() || c.read_by_many());
  const Masked back = Masked::of(c);
  EXPECT_EQ(back.write, m.write);
  EXPECT_EQ(back.read, m.read);
  EXPECT_EQ(back.wrote, m.wrote);
  EXPECT_EQ(back.did_read, m.did_read);
  EXPECT_EQ(back.writers, m.writers);
  EXPECT_EQ(back.readers, m.readers);
  EXPECT_EQ(back.cut_out, m.cut_out);
}

TEST_F(MaskedTest, BytesOfOneEpochAreOneCell) {
  for (uptr i = 0; i < 7; ++i) EXPECT_EQ(a.write(x + i, 1), none);
  ASSERT_TRUE(is_masked(word(x).write));
  EXPECT_EQ(Masked::of(word(x)).wrote, 0x7fu);
  EXPECT_EQ(shadow::cell_if_present<1>(x) == nullptr || *shadow::cell<1>(x) == Cell{}, true);
  EXPECT_EQ(b.read(x + 7, 1), none);
  EXPECT_EQ(b.read(x + 3, 1), bytes(x + 3, 1));
}

TEST_F(MaskedTest, EachByteKeepsItsOrigin) {
  a.write(x + 1, 3);
  a.write(x + 4, 1);
  a_then_b();
  b.read(x + 2, 1);
  b.read(x + 4, 3);
  const Masked m = Masked::of(word(x));
  for (unsigned i = 1; i < 4; ++i) EXPECT_EQ(place(m.of_byte(i).writer()), x + 1);
  EXPECT_EQ(place(m.of_byte(4).writer()), x + 4);
  EXPECT_EQ(place(m.of_byte(2).reader()), x + 2);
  EXPECT_EQ(place(m.of_byte(6).reader()), x + 4);
  EXPECT_EQ(m.of_byte(0), Cell{});
  EXPECT_EQ(m.of_byte(7), Cell{});
  // Dividing the word loses none of it.
  c.write(x + 7, 1);
  c.read(x + 7, 1);
  const Cell divided = words::load_alone(shadow::cell<8>(x), x);
  EXPECT_EQ(place(words::history_of_byte(divided, x + 3).writer()), x + 1);
  EXPECT_EQ(place(words::history_of_byte(divided, x + 4).writer()), x + 4);
  EXPECT_EQ(place(words::history_of_byte(divided, x + 4).reader()), x + 4);
  EXPECT_EQ(place(words::history_of_byte(divided, x + 2).reader()), x + 2);
  EXPECT_EQ(place(words::history_of_byte(divided, x + 7).writer()), x + 7);
}

TEST_F(MaskedTest, AWordThatOnePlaceHasFilledIsAWholeOne) {
  a.write(x + 3, 8);  // of one place
  a.write(x + 11, 8);
  EXPECT_TRUE(is_masked(word(x + 8).write));  // of two
  a_then_b();
  EXPECT_EQ(b.write(x, 24), none);
  for (uptr w = x; w < x + 24; w += 8) EXPECT_EQ(word(w).write, raw(b.stamp()));
}

TEST_F(MaskedTest, FieldsOfACopiedStructureAreReadByMask) {
  a.write(x, 16);
  a_then_b();
  EXPECT_EQ(b.read(x, 4), none);
  EXPECT_EQ(b.read(x + 12, 2), none);
  EXPECT_TRUE(is_masked(word(x).write) && is_masked(word(x + 8).write));
  VectorClock other;
  a.release(other);
  c.acquire(lock);  // after the writes, not after the reads
  EXPECT_EQ(c.write(x, 16), (std::set<uptr>{x, x + 1, x + 2, x + 3, x + 12, x + 13}));
}

TEST_F(MaskedTest, AnAccessWithAnInlinedTestGetsACell) {
  b.set_masks(false);
  a.write(x, 8);
  a_then_b();
  EXPECT_EQ(b.read(x + 4, 4), none);
  EXPECT_EQ(word(x).write, Division::pieces(4).mark());
  EXPECT_EQ(shadow::cell<4>(x + 4)->read, raw(b.stamp()));
  a.set_masks(true);
  a.write(x + 8, 8);
  a_then_b();
  b.set_masks(true);
  b.read(x + 8, 4);
  EXPECT_TRUE(is_masked(word(x + 8).write));
  b.set_masks(false);
  b.read(x + 12, 4);
  EXPECT_EQ(word(x + 8).write, Division::pieces(4).mark());
}

// What a second epoch does to some of the bytes leaves the others as they were.
TEST_F(MaskedTest, BytesThatAnotherEpochWroteKeepTheirs) {
  for (uptr i = 0; i < 4; ++i) a.write(x + i, 1);
  a_then_b();
  EXPECT_EQ(b.write(x + 2, 1), none);
  VectorClock of_b;
  b.release(of_b);
  c.acquire(lock);  // knows of a's writes only
  EXPECT_EQ(c.read(x, 8), bytes(x + 2, 1));
}
TEST_F(MaskedTest, BytesThatAnotherEpochReadKeepTheirs) {
  for (uptr i = 0; i < 4; ++i) a.read(x + i, 1);
  a.release(lock);
  EXPECT_EQ(a.read(x + 2, 1), none);  // a later epoch of the same thread
  b.acquire(lock);
  EXPECT_EQ(b.write(x, 8), bytes(x + 2, 1));
}
TEST_F(MaskedTest, AllBytesReadAgainNeedNoMore) {
  for (uptr i = 0; i < 4; ++i) a.read(x + i, 1);
  a_then_b();
  EXPECT_EQ(b.read(x, 5), none);
  EXPECT_EQ(Masked::of(word(x)).did_read, 0x1fu);
  EXPECT_EQ(Masked::of(word(x)).read, raw(b.stamp()));
}

TEST_F(MaskedTest, ConcurrentReadsAreBothKept) {
  a.read(x + 1, 1);
  EXPECT_EQ(b.read(x, 3), none);
  a.release(lock);
  c.acquire(lock);
  EXPECT_EQ(c.write(x, 8), bytes(x, 3));  // b's
  EXPECT_EQ(c.write(x + 8, 1), none);
}
TEST_F(MaskedTest, AWriteTakesThePlaceOfTheReadsOfItsBytes) {
  a.read(x, 3);
  a_then_b();
  EXPECT_EQ(b.write(x + 1, 1), none);
  VectorClock of_b;
  b.release(of_b);
  c.acquire(of_b);
  EXPECT_EQ(c.write(x, 3), none);
}

TEST_F(MaskedTest, RepeatedAccessesOfAnEpochChangeNothing) {
  a.write(x + 1, 2);
  a.read(x + 4, 2);
  const Cell before = word(x);
  EXPECT_EQ(a.write(x + 2, 1), none);
  EXPECT_EQ(a.read(x + 1, 1), none);
  EXPECT_EQ(a.read(x + 5, 1), none);
  EXPECT_EQ(word(x), before);
  // A read is no write, and a byte beside is no byte of theirs.
  EXPECT_EQ(a.write(x + 5, 1), none);
  EXPECT_EQ(Masked::of(word(x)).wrote, 0x26u);
  EXPECT_EQ(a.read(x + 3, 1), none);
  EXPECT_EQ(Masked::of(word(x)).did_read, 0x18u);
}

TEST_F(MaskedTest, ClearedAndForgottenWordsHaveNoPast) {
  a.write(x, 3);
  a.write(x + 8, 3);
  a.write(x + 16, 3);
  clear_history({x, 8}, nullptr, nullptr);
  clear_history({x + 9, 1}, nullptr, nullptr);
  forget_ordered<8>(x + 16);
  EXPECT_EQ(word(x), Cell{});
  EXPECT_EQ(word(x + 16), Cell{});
  EXPECT_EQ(b.write(x, 24), (std::set<uptr>{x + 8, x + 10}));
}

TEST_F(MaskedTest, AnObjectComesToLiveInIt) {
  a.write(x, 3);
  ScriptedThread(tables(), kNothing, 4).share({x, 8});
  mark_sync(x + 4);
  EXPECT_TRUE(word(x).has_sync());
  EXPECT_EQ(b.write(x + 1, 1), bytes(x + 1, 1));
  EXPECT_FALSE(is_masked(word(x).write));
  unmark_sync(x + 4);
}

TEST_F(MaskedTest, HistoryIsCopiedByteByByte) {
  for (const uptr shift : {256, 259}) {
    x = fresh_memory();
    a.write(x + 1, 2);
    a.share({x, 8});
    a.share({x + shift, 8});
    copy_history(x, x + shift, 8, kNoObjects);
    EXPECT_EQ(b.read(x + shift, 8), bytes(x + shift + 1, 2));
    EXPECT_EQ(b.read(x, 8), bytes(x + 1, 2));
  }
}

// Two looks at a cell that another thread changes between them.
TEST_F(MaskedTest, HalvesOfTwoFormsAreNoHistory) {
  const Cell masked = Masked{raw(a.stamp()), 0, 1, 0, MosaicId{1}, kEmptyMosaic, false}.masked();
  const Cell whole = written(raw(a.stamp()), 1);
  for (const Cell& torn :
       {Cell{whole.write, whole.write_origin, masked.read, masked.read_origin},
        Cell{masked.write, masked.write_origin, whole.read, whole.read_origin}}) {
    EXPECT_TRUE(torn.torn());
    EXPECT_FALSE(may_be_masked(torn));
    store_cell(shadow::cell<8>(x), torn);
    words::Forming forming;
    EXPECT_FALSE(words::may_be_group(shadow::cell<8>(x), 1, forming));
    // That of a thread which a fork has left behind stays so, and is nobody's.
    EXPECT_EQ(words::load_settled(shadow::cell<8>(x)), Cell{});
    EXPECT_EQ(word(x), Cell{});
  }
}

// Without room for mosaics everything is as it was without masks.
TEST_F(MaskedTest, MosaicsMayRunOut) {
  Mosaics few;
  few.initialise();
  MosaicId m = kEmptyMosaic;
  for (u32 i = 1; i < raw(kNoMosaic); ++i) m = few.with(kEmptyMosaic, 1, Origin{i});
  EXPECT_EQ(raw(m), raw(kNoMosaic) - 1);
  EXPECT_EQ(few.origin(m, 0), Origin{raw(kNoMosaic) - 1});
  EXPECT_EQ(few.with(kEmptyMosaic, 2, Origin{7}), kNoMosaic);
  EXPECT_EQ(few.count(), raw(kNoMosaic) - 1);
}

TEST_F(MaskedTest, EqualMosaicsHaveOneName) {
  Mosaics some;
  some.initialise();
  const MosaicId one = some.with(kEmptyMosaic, 0x0f, Origin{5});
  const MosaicId two = some.with(some.with(kEmptyMosaic, 0x03, Origin{5}), 0x0c, Origin{5});
  EXPECT_EQ(one, two);
  EXPECT_EQ(some.single(one), kNoOrigin);
  EXPECT_EQ(some.single(some.with(one, 0xf0, Origin{5})), Origin{5});
}

}  // namespace
}  // namespace bigfoot::rt::testing
