"""What moves gain and what they cost: of one row by itself, of a group together."""
