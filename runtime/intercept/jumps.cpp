// longjmp: the way in which the handler of a race may leave (lard.h), so that it is told of the
// next one.
#include <setjmp.h>

#include "runtime/intercept/interceptor.h"

using namespace bigfoot::rt;
using namespace bigfoot::rt::intercept;

BF_INTERCEPTOR(void, longjmp, __jmp_buf_tag* to, int value) {
  race_listener_left();
  real_longjmp(to, value);
  __builtin_unreachable();
}
BF_INTERCEPTOR(void, _longjmp, __jmp_buf_tag* to, int value) {
  race_listener_left();
  real__longjmp(to, value);
  __builtin_unreachable();
}
BF_INTERCEPTOR(void, siglongjmp, __jmp_buf_tag* to, int value) {
  race_listener_left();
  real_siglongjmp(to, value);
  __builtin_unreachable();
}
// Of programs compiled with -D_FORTIFY_SOURCE.
BF_INTERCEPTOR(void, __longjmp_chk, __jmp_buf_tag* to, int value) {
  race_listener_left();
  real___longjmp_chk(to, value);
  __builtin_unreachable();
}
