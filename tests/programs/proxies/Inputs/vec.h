// A type whose fields the programs always use together, and vec_apart.cpp one by one.
#pragma once

struct Vec {
  double x, y, z;
};
struct Ball : Vec {
  double radius;
  Vec speed;
};
// Its constructor leaves a field for later.
struct Half {
  double begin, end, rest;
  explicit Half(double d);
};
