#include "runtime/intercept/formats.h"

#include <wchar.h>

#include "runtime/intercept/wrapper.h"

namespace bigfoot::rt::intercept {
namespace {

BF_REAL(usize, strlen, (const char*))
BF_REAL(usize, strnlen, (const char*, usize))

constexpr int kNone = -1;
constexpr int kArgument = -2;  // '*': an argument in printf, "do not assign" in scanf

// One directive, from behind its '%'.
struct Directive {
  int width = kNone;
  int precision = kNone;
  bool allocates = false;  // scanf's 'm'
  char length = 0;         // h, l, L, j, z, t; H for hh, and l for ll: they are of one size
  char conversion = 0;     // 0: not one we can follow
};

bool is_one_of(char c, const char* set) {
  while (*set != 0 && *set != c) ++set;
  return *set != 0;
}

class Reader {
 public:
  explicit Reader(const char* format) : at_(format) {}

  // Moves behind the next '%'; false at the end. `literal` is set if anything but white space came
  // before.
  bool next(bool& literal) {
    for (; *at_ != 0; ++at_) {
      if (*at_ != '%') {
        literal |= !is_one_of(*at_, " \t\n\v\f\r");
        continue;
      }
      ++at_;
      return true;
    }
    return false;
  }

  Directive directive() {
    Directive d;
    while (is_one_of(*at_, "-+ #0'I")) ++at_;
    d.width = number();
    if (*at_ == '$') return d;
    if (*at_ == '.') {
      ++at_;
      d.precision = number();
      if (d.precision == kNone) d.precision = 0;
    }
    if (*at_ == 'm' && is_one_of(at_[1], "lcsCS[")) ++at_, d.allocates = true;
    d.length = length();
    d.conversion = *at_;
    if (*at_ != 0) ++at_;
    return d;
  }

  // Behind scanf's "%[".
  void skip_set() {
    if (*at_ == '^') ++at_;
    if (*at_ == ']') ++at_;
    while (*at_ != 0 && *at_ != ']') ++at_;
    if (*at_ != 0) ++at_;
  }

 private:
  int number() {
    if (*at_ == '*') {
      do ++at_;
      while (*at_ >= '0' && *at_ <= '9');  // scanf's "%*5d"
      return kArgument;
    }
    if (*at_ < '0' || *at_ > '9') return kNone;
    int n = 0;
    for (; *at_ >= '0' && *at_ <= '9'; ++at_)
      if (n < 100'000'000) n = n * 10 + (*at_ - '0');
    return n;
  }
  char length() {
    if (!is_one_of(*at_, "hlLqjztZ")) return 0;
    const char c = *at_++;
    if (c == 'h' && *at_ == 'h') return ++at_, 'H';
    if (c == 'l' && *at_ == 'l') return ++at_, 'l';
    return c;
  }

  const char* at_;
};

usize integer_bytes(char length) {
  switch (length) {
    case 'H':
      return 1;
    case 'h':
      return 2;
    case 0:
      return 4;
    default:
      return 8;
  }
}
usize real_bytes(char length) {
  return length == 'L' ? sizeof(long double) : length == 'l' ? sizeof(double) : sizeof(float);
}

constexpr const char* kIntegers = "diouxX";
constexpr const char* kReals = "aAeEfFgG";

void tell_printed_string(const Call& call, const char* s, int precision) {
  if (s == nullptr) return;  // "(null)"
  const usize most = precision < 0 ? ~usize{0} : static_cast<usize>(precision);
  const usize length = precision < 0 ? real_strlen(s) : real_strnlen(s, most);
  reads(call, s, length < most ? length + 1 : most);
}

// An argument that the directive takes besides its value.
int given(int number, va_list& arguments) {
  return number == kArgument ? va_arg(arguments, int) : number;
}

// What one conversion of scanf writes at `to`; the text of a string is there already.
void tell_assigned(const Call& call, const Directive& d, void* to) {
  const bool wide = d.length == 'l' || d.conversion == 'C' || d.conversion == 'S';
  const usize character = wide ? sizeof(wchar_t) : 1;
  if (d.allocates || d.conversion == 'p')
    writes(call, to, sizeof(void*));
  else if (is_one_of(d.conversion, kReals))
    writes(call, to, real_bytes(d.length));
  else if (is_one_of(d.conversion, "cC"))
    writes(call, to, character * static_cast<usize>(d.width == kNone ? 1 : d.width));
  else if (!is_one_of(d.conversion, "sS["))
    writes(call, to, integer_bytes(d.length));
  else if (!wide)
    writes(call, to, real_strlen(static_cast<const char*>(to)) + 1);
}

}  // namespace

void tell_printed(const Call& call, const char* format, va_list original) {
  if (!call) return;
  va_list arguments;
  va_copy(arguments, original);
  Reader reader(format);
  for (bool literal = false; reader.next(literal);) {
    const Directive d = reader.directive();
    if (d.conversion == '%') continue;
    given(d.width, arguments);
    const int precision = given(d.precision, arguments);
    if (is_one_of(d.conversion, kIntegers) || is_one_of(d.conversion, "cC")) {
      va_arg(arguments, long);  // whatever its size: an argument of its own
    } else if (is_one_of(d.conversion, kReals)) {
      if (d.length == 'L')
        va_arg(arguments, long double);
      else
        va_arg(arguments, double);
    } else if (is_one_of(d.conversion, "spnS")) {
      void* p = va_arg(arguments, void*);
      if (d.conversion == 's' && d.length == 0)
        tell_printed_string(call, static_cast<const char*>(p), precision);
      if (d.conversion == 'n') writes(call, p, integer_bytes(d.length));
    } else if (d.conversion != 'm') {
      break;
    }
  }
  va_end(arguments);
}

void tell_scanned(const Call& call, const char* format, va_list original, int assigned) {
  if (!call) return;
  va_list arguments;
  va_copy(arguments, original);
  Reader reader(format);
  bool literal = false;  // behind the last assignment: it may not have matched
  while (reader.next(literal)) {
    const Directive d = reader.directive();
    if (d.conversion == '[') reader.skip_set();
    if (d.conversion == '%') literal = true;
    if (d.conversion == '%' || d.width == kArgument) continue;
    const bool counts = d.conversion != 'n';
    if (!is_one_of(d.conversion, "diouxXaAeEfFgGcCsS[pn") || (counts && assigned <= 0)) break;
    if (!counts && assigned <= 0 && literal) break;
    tell_assigned(call, d, va_arg(arguments, void*));
    if (counts && --assigned == 0) literal = false;
  }
  va_end(arguments);
}

}  // namespace bigfoot::rt::intercept
