"""The paper's two methods as published: the compact model, and column generation with a solver for pricing."""
