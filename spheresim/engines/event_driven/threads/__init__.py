"""Several threads for the exact engine; the bits of a run do not depend on their number."""
