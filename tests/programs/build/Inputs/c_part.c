int c_value;

void c_write(void) {
  c_value = 1;  // RACE: write 4
}
