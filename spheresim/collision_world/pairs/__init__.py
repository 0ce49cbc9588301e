"""The questions about pairs of parts, and a file with the answers for each kind of pair."""
