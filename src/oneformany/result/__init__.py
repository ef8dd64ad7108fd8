"""The answer as plain data: explanations, proof, file, tables, words."""
