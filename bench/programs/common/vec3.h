// Three coordinates.
#pragma once

#include <cmath>

namespace bench {

template <typename T>
struct Vec3 {
  T x{}, y{}, z{};

  Vec3& operator+=(const Vec3& o) {
    x += o.x, y += o.y, z += o.z;
    return *this;
  }
  Vec3& operator-=(const Vec3& o) {
    x -= o.x, y -= o.y, z -= o.z;
    return *this;
  }
  Vec3& operator*=(T s) {
    x *= s, y *= s, z *= s;
    return *this;
  }

  friend Vec3 operator+(Vec3 a, const Vec3& b) { return a += b; }
  friend Vec3 operator-(Vec3 a, const Vec3& b) { return a -= b; }
  friend Vec3 operator*(T s, Vec3 v) { return v *= s; }

  friend T dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
  friend Vec3 cross(const Vec3& a, const Vec3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }
  friend T square(const Vec3& v) { return dot(v, v); }
  friend T length(const Vec3& v) { return std::sqrt(square(v)); }
  friend Vec3 normalised(const Vec3& v) { return (1 / length(v)) * v; }
};

}  // namespace bench
