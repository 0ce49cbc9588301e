"""The compiler's settings, and what the processor can do that Python has no word for."""
