"""The exact method: master, pricing, enumeration, set cover, branching, certificate."""
