"""What was found and asked so far."""
