"""The oracle for feed-forward networks with ReLU units."""
