"""Few rows carry the proof: the rows that few actions help decide how many actions help everybody."""
