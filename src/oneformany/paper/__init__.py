"""The paper's experiments: its methods, its tables and figures, and how its cells are run again."""
