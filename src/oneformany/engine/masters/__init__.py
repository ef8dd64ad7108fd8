"""Two ways to choose among columns: from a long table, and by generating those that a relaxation asks for."""
