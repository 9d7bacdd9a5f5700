// Assembly, so that no optimiser of loops knows what is in the table.
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
)");
