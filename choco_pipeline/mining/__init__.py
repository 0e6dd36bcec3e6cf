"""Mining: what the machine finds in tables by itself; suggestions for claims, never claims."""
