"""A run as one page of HTML that plays in any browser, without a network and without this program.

The page holds where balls start and every impact, not pictures: between two impacts the flight
is a formula, which its own JavaScript (in `js/`) works out for any time.
"""
