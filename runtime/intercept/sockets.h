// The order that messages on sockets give.
#pragma once

#include "runtime/intercept/interceptor.h"

namespace bigfoot::rt::intercept {

// Before a message is sent, to `to` if not null. Leaves errno alone.
void sending_on_socket(const Call& call, int fd, const void* to, unsigned length);
// After one has arrived.
void received_on_socket(const Call& call, int fd);

void lock_sockets();  // around fork
void unlock_sockets();

}  // namespace bigfoot::rt::intercept
