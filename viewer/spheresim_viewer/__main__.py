"""`python -m viewer`: the same as `spheresim view`."""

from viewer.command import main

if __name__ == "__main__":
    main()
