"""Many balls at once: at random, on lattices, with room for each."""
