"""`python -m spheresim`."""

from spheresim.cli import main

main()
