"""The paper's tables beside ours, from recorded runs."""
