#!/usr/bin/env bash
# --bigfoot-explain: what became of every access, as docs/explain-format.md describes it.
. "$(dirname "$0")/support.sh"

cat >points.cpp <<'END'
void unknown();
struct Point { double x, y; long n; };
void fill(Point* p, long n) {
  for (long i = 0; i < n; ++i) {
    p[i].x = 0;  // line 5
    p[i].y = 1;
  }
}
void twice(Point* q) {
  q->n = 1;  // line 10
  unknown();
  q->n = 2;
}
double again(volatile double* d) { return *d + *d; }
END

judge=$(cat <<'END'
import json, sys

name, detector = sys.argv[1:]
record = json.load(open(name))
assert record["format"] == "bigfoot-explain" and record["version"] == 1
assert record["detector"] == detector and record["source"].endswith("points.cpp")
functions = {f["name"]: f for f in record["functions"]}
assert set(functions) == {"fill(Point*, long)", "twice(Point*)", "again(double volatile*)"}
for f in functions.values():
    assert f["counts"]["accesses"] == len(f["accesses"]) == 2
    assert f["counts"]["checks"] == len(f["checks"])
    assert record["files"][f["file"]].endswith("points.cpp")
    for i, access in enumerate(f["accesses"]):
        assert (access["fate"] == "checked") == bool(access["checks"])
        assert all(i in [c["access"] for c in f["checks"][k]["covers"]] for k in access["checks"])
    for k, check in enumerate(f["checks"]):
        assert all(k in f["accesses"][c["access"]]["checks"] for c in check["covers"])

def lines(items):
    return [item["position"][0]["line"] for item in items]

fill, twice, again = (functions[n] for n in ("fill(Point*, long)", "twice(Point*)", "again(double volatile*)"))
assert lines(fill["accesses"]) == [5, 6] and lines(twice["accesses"]) == [10, 12]
assert all(a["operation"] == "write" and a["bytes"] == 8 for a in fill["accesses"])
if detector == "bigfoot":
    [check] = fill["checks"]  # both fields, all elements, when the loop is over
    assert check["shape"] == "strided" and check["paths"] == ["p[0 .. 24*n : 24/16]"], check["paths"]
    assert check["barrier"] == "end" and lines([check]) == [8]
    for c in check["covers"]:
        assert c["moved"] == "later" and [loop["line"] for loop in c["left_loops"]] == [4]
    before, after = twice["checks"]
    assert before["reason"] == "call to unknown() may synchronise or free memory", before["reason"]
    assert before["barrier"] == "call" and before["paths"] == after["paths"] == ["q->n"]
    assert after["barrier"] == "end"
    [check] = again["checks"]
    assert len(check["covers"]) == 2
elif detector in ("redcard", "slimcard"):
    assert [a["fate"] for a in again["accesses"]] == ["checked", "covered_before"]
else:
    assert all(len(f["checks"]) == 2 for f in functions.values())
    assert all(c["barrier"] == "access" for f in functions.values() for c in f["checks"])
END
)
for detector in bigfoot redcard slimcard slimstate fasttrack; do
  expect_exit 0 "$bin/bigfoot-clang++" --detector=$detector -O1 -g --bigfoot-explain=record.json -c points.cpp
  python3 -c "$judge" record.json $detector || fail "the record of $detector"
done

# A folder gets one record for each file, whatever folder the file comes from.
mkdir records other
cp points.cpp other/points.cpp
for file in points.cpp other/points.cpp; do
  expect_exit 0 "$bin/bigfoot-clang++" -O1 -g --bigfoot-explain=records -c $file
done
[ "$(ls records/points.cpp-????????.json | wc -l)" = 2 ] || fail "one record for each file: $(ls records)"

expect_exit 1 "$bin/bigfoot-clang++" --bigfoot-explain=missing/record.json -c points.cpp
grep -q "cannot write 'missing/record.json': No such file" err || fail "says why it cannot write: $(cat err)"
expect_refusal 1 "--bigfoot-explain=" "$bin/bigfoot-clang++" --bigfoot-explain= -c points.cpp
