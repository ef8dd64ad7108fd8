"""The paper's two methods as published: the compact model, and column generation priced by a solver."""
