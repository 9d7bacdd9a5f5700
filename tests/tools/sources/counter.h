// A counter two threads share; LOCKED is the fixed twin.
#pragma once
#ifdef __cplusplus
extern "C" {
#endif
void bump(void);
int counted(void);
#ifdef __cplusplus
}
#endif
