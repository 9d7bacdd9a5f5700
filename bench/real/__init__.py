"""Real programs that nobody here wrote, fetched by name when they are wanted."""
