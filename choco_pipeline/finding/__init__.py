"""What the machine proposes itself: statements over whole families of tables, each with its evidence."""
