// Assembly, so that no optimiser of loops knows what is in the table, and so that no tool adds to the function.
asm(R"(
  .section .rodata
  .globl parity_position
  .balign 64
parity_position:
  .set i, 0
  .rept 8192
  .long i
  .set i, i + 1
  .endr
  .size parity_position, . - parity_position
  .type parity_position, @object
  .text
  .globl parity_innermost
  .type parity_innermost, @function
parity_innermost:
  ret
  .size parity_innermost, . - parity_innermost
)");
