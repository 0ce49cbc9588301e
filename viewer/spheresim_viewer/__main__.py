"""`python -m spheresim_viewer`: the same as `spheresim view`."""

from spheresim_viewer.command import main

if __name__ == "__main__":
    main()
