// Three-vectors of the N-body programs.
#pragma once

#include <cmath>

namespace bench {

struct Vec {
  double x = 0, y = 0, z = 0;

  Vec& operator+=(const Vec& o) {
    x += o.x, y += o.y, z += o.z;
    return *this;
  }
  Vec& operator-=(const Vec& o) {
    x -= o.x, y -= o.y, z -= o.z;
    return *this;
  }
  Vec& operator*=(double s) {
    x *= s, y *= s, z *= s;
    return *this;
  }
};

inline Vec operator+(Vec a, const Vec& b) {
  return a += b;
}
inline Vec operator-(Vec a, const Vec& b) {
  return a -= b;
}
inline Vec operator*(double s, Vec v) {
  return v *= s;
}
inline double dot(const Vec& a, const Vec& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline double length(const Vec& v) {
  return std::sqrt(dot(v, v));
}

}  // namespace bench
