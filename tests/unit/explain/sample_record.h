// A record written by hand, to be changed by the tests.
#pragma once

#include <nlohmann/json.hpp>

namespace bigfoot::explain {

// /src/a.c:
//   1  void f(long* a, long n) {
//   2    for (long i = 0; i < n; ++i)
//   3      a[i] = 0;
//   4    *a;
//   5  }
inline nlohmann::json sample_record() {
  return nlohmann::json::parse(R"({
    "format": "bigfoot-explain", "version": 1, "detector": "bigfoot",
    "source": "a.c", "directory": "/src", "files": ["a.c", "/usr/include/b.h"],
    "functions": [{
      "name": "f", "symbol": "f", "file": 0, "line": 1, "analysed": true,
      "accesses": [
        {"position": [{"file": 1, "line": 90, "column": 9, "function": "set"},
                      {"file": 0, "line": 3, "column": 5, "function": "f"}],
         "operation": "write", "bytes": 8, "form": "plain", "fate": "checked", "checks": [0]},
        {"position": [{"file": 0, "line": 4, "column": 3, "function": "f"}],
         "operation": "read", "bytes": 1, "form": "plain", "fate": "anticipated", "checks": [],
         "relies_on": [0]}],
      "checks": [
        {"position": [{"file": 0, "line": 5, "column": 1, "function": "f"}], "placed": "before",
         "operation": "write", "paths": ["a[0 .. 8*n]"], "shape": "range", "rule": "STMT",
         "reason": "the function ends", "barrier": "end",
         "covers": [{"access": 0, "moved": "later", "left_loops": [{"file": 0, "line": 2}]}]}]
    }]
  })");
}

}  // namespace bigfoot::explain
