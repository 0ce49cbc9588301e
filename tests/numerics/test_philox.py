"""Random numbers by a counter: the published words, whatever was drawn before."""

import pytest

from spheresim.numerics.philox import philox

ALL = 0xFFFFFFFF


@pytest.mark.parametrize(
    ("counter", "key", "words"),
    [
        # Of the file kat_vectors of Random123, the library of the paper: Philox4x32, 10 rounds.
        (0, 0, (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
    ],
)
def test_words_are_those_that_its_authors_publish(counter, key, words):
    assert tuple(int(word) for word in philox(counter, key, key)) == words


def test_each_of_counter_and_keys_changes_all_words():
    here = philox(7, 1, 2)
    for other in (philox(8, 1, 2), philox(7 + 2**32, 1, 2), philox(7, 2, 2), philox(7, 1, 3)):
        assert not set(map(int, here)) & set(map(int, other))
    assert here == philox(7, 1, 2)
    assert all(0 <= int(word) <= ALL for word in here)
