"""The paper's figures, from recorded runs."""
