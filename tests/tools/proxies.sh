#!/usr/bin/env bash
# Fields that share a shadow location: what `bigfoot explain --proxies` says of them, of one file and of several, in text
# and in the record of a build, and how many locations there are with and without them.
. "$(dirname "$0")/support.sh"

bigfoot=$bin/bigfoot
cat >points.cpp <<'CPP'
#include <pthread.h>
#include <utility>
struct Vec { Vec* next; double x, y, z; };
struct Mixed { double head, left, right; };
struct Small { int low, high; double value; };

extern "C" void set(Vec* v, double d) {
  v->x = d;
  v->y = d;
  v->z = d;
}
extern "C" void set_mixed(Mixed* m, double d) {
  m->head = d;
  m->left = d;
  m->right = d;
}
extern "C" double head_of(const Mixed* m) { return m->head; }
extern "C" void set_low(Small* s) { s->low = 1; }
extern "C" void set_small(Small* s) {
  s->low = 1;
  s->high = 2;
  s->value = 3;
}

void* set_all(void* first) {
  for (Vec* v = static_cast<Vec*>(first); v != nullptr; v = v->next) set(v, 1);
  return nullptr;
}
int main() {
  Vec* first = nullptr;
  for (int i = 0; i < 50; ++i) first = new Vec{first, 0, 0, 0};
  pthread_t other;
  pthread_create(&other, nullptr, set_all, first);
  pthread_join(other, nullptr);
  while (first != nullptr) delete std::exchange(first, first->next);
}
CPP
head=$(grep -n 'double head_of' points.cpp | cut -d: -f1)
low=$(grep -n 'void set_low' points.cpp | cut -d: -f1)

# The lines of one type.
of_type() {
  sed -n "/^$1\$/,/^\$/p" out
}
# says TYPE LINE...: these are the lines about it, and no others.
says() {
  local type=$1 wanted
  shift
  wanted=$(printf '%s\n' "$type" "${@/#/  }")
  [[ $(of_type "$type") == "$wanted" ]] || { cat out; fail "$detector: $type is not: $wanted"; }
}
# place FILE LINE TOKEN: where the last TOKEN is in the line that has LINE.
place() {
  awk -v file="$1" -v line="$2" -v token="$3" 'index($0, line) {
    column = 0
    while (i = index(substr($0, column + 1), token)) column += i
    print file ":" NR ":" column
  }' "$1"
}
for detector in bigfoot redcard slimcard; do
  expect_exit 0 "$bigfoot" explain --proxies "--detector=$detector" points.cpp
  grep -q "^points.cpp: 3 types ($detector)\$" out || { cat out; fail "$detector: the first line"; }
  [[ $(of_type Vec) == *'  one location: {x, y, z}'* ]] || { cat out; fail "$detector: Vec"; }
  says Mixed 'one location: {left, right}' "head and left apart: {head} checked at $(place points.cpp 'double head_of' head)"
  # low and high are one word, which is never checked as a whole.
  says Small "low+high and value apart: {low+high} in part checked at $(place points.cpp 'void set_low' =)"
done

# Several files are one program. What accesses do that know nothing of the type is the run time's to find out.
cat >one.cpp <<'CPP'
#include <cstring>
struct Vec { double x, y, z; };
struct Pair { double left, right; };
struct Nine { virtual ~Nine(); double a, b, c, d, e, f, g, h, i; };
struct Gap { double a, b, c; };
union Both { Vec fields; int words[6]; };
extern "C" {
void set(Vec* v) { v->x = v->y = v->z = 1; }
void set_pair(Pair* p) { p->left = p->right = 1; }
void set_nine(Nine* n) { n->a = n->b = n->c = n->d = n->e = n->f = n->g = n->h = n->i = 1; }
void set_gap(Gap* g) { g->a = g->c = 1; }
int word_of(Both* b) { return b->words[1]; }
void copy_y(Pair* p, const void* from) { memcpy(&p->right, from, 8); }
char byte_of(Pair* p) { return reinterpret_cast<char*>(p)[3]; }
void copy_all(Pair* p, const Pair* from) { *p = *from; }
}
CPP
cat >two.cpp <<'CPP'
struct Vec { double x, y, z; };
struct Table { long size; Vec rows[4]; };
extern "C" double y_of(const Table* t) { return t->rows[2].y; }
CPP
expect_pair() {
  says Pair 'one location: {left, right}' \
    "{left, right} cut where {right} accessed without its type at $(place one.cpp copy_y memcpy)" \
    "{left, right} cut where {left} in part accessed without its type at $(place one.cpp byte_of reinterpret)"
}
for detector in bigfoot redcard; do
  expect_exit 0 "$bigfoot" explain --proxies "--detector=$detector" one.cpp
  says Vec 'one location: {x, y, z}'
  says Nine 'one location: {a, b, c, d, e, f, g}' 'one location: {h, i}' \
    'g and h apart: a location has at most 7 words'
  says Gap 'a and c apart: no neighbours'
  says 'union Both' \
    "nothing shared: {fields|words} in part accessed without its type at $(place one.cpp word_of 'b->')"
  expect_pair
  expect_exit 0 "$bigfoot" explain --proxies "--detector=$detector" one.cpp two.cpp
  grep -q "^one.cpp, two.cpp: 5 types ($detector)\$" out || { cat out; fail "$detector: the first line of two files"; }
  says Vec "{x, y, z} of one.cpp not shared: {y} checked at $(place two.cpp y_of y)"
  expect_pair
done
# Without optimisation accesses have no types.
expect_exit 0 "$bigfoot" explain --proxies -O0 two.cpp one.cpp
says Vec "nothing shared: {y} accessed without its type at $(place two.cpp y_of y)"

# Without moved checks nothing is known of types; without proxies, nobody wants to know.
expect_exit 0 "$bigfoot" explain --proxies --detector=fasttrack points.cpp
[[ $(head -1 out) == 'points.cpp: 0 types (fasttrack)' ]] || { cat out; fail "fasttrack has groups"; }

# The record of a build: the same, for a program to read.
expect_exit 0 "$CXX" -O2 -g --bigfoot-explain=points.json -c points.cpp -o points.o
python3 - "$head" "$low" <<'PY' || fail "the record: $(cat points.json)"
import json, sys
head, low = map(int, sys.argv[1:])
types = {t["name"]: t for t in json.load(open("points.json"))["types"]}
assert types["Vec"]["groups"] == [["next"], ["x", "y", "z"]], types["Vec"]
assert types["Mixed"]["groups"] == [["head"], ["left", "right"]], types["Mixed"]
assert types["Mixed"]["words"] == [[0], [1, 2]] and types["Mixed"]["symbol"] == "_ZTS5Mixed", types["Mixed"]
alone = [u for u in types["Mixed"]["uses"] if u["fields"] == ["head"]]
assert [u["position"][0]["line"] for u in alone] == [head], alone
assert any(u["in_part"] and u["position"][0]["line"] == low for u in types["Small"]["uses"]), types["Small"]
PY

# What the other thread has left, when it is joined: 50 objects of three fields, each with a location of its own
# or one for the three of them. What else has a history, the same in both builds, is not counted.
count() {
  grep -o "bigfoot: $1 [0-9]*" err | grep -o '[0-9]*$'
}
export BIGFOOT_OPTIONS="stats=1 proxies=auto"
for detector in bigfoot redcard; do
  expect_exit 0 "$CXX" -O2 "--detector=$detector" points.cpp -o together
  expect_exit 0 "$CXX" -O2 "--detector=$detector" --no-proxies points.cpp -o apart
  expect_exit 0 ./apart
  words=$(count object_words)
  [[ $words -ge 150 && $(count object_locations) -eq $words ]] || { cat err; fail "$detector: without proxies"; }
  expect_exit 0 ./together
  [[ $(count object_words) -eq $words ]] || { cat err; fail "$detector: $words words without proxies"; }
  [[ $(count object_locations) -eq $((words - 2 * 50)) ]] || { cat err; fail "$detector: with proxies, of $words"; }
done
