// A counter nobody protects.
#pragma once

extern "C" void counter_add(int amount);
extern "C" int counter_get();
