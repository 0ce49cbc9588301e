"""What cannot be done is said in one sentence of our own, with none of numpy's or Python's."""

import pytest

LEAKS = ("broadcast", "inhomogeneous", "object is not", "has no attribute", "setting an")


def told(ask, sentence, kinds=(ValueError, TypeError, IndexError)):
    with pytest.raises(kinds, match=sentence) as fault:
        ask()
    said = str(fault.value)
    assert "\n" not in said
    assert len(said) < 250
    for leak in LEAKS:
        assert leak not in said
    return said
