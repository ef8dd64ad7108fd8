"""How the paper splits and codes its data, the networks it trains, and what it published."""
