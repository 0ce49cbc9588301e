"""The numbers at the axes of the plots, and the rates by the wall clock."""

import pytest


@pytest.mark.parametrize("size", [0.0, 0.0333, 1.0, 640.0, 1234.0, 12750.4, 99999.6, 1.2756e6])
@pytest.mark.parametrize("power", [0, 7, 80, -5, -80])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_no_number_at_an_axis_is_cut(writing, size, power, sign):
    from spheresim_viewer.hud.plots import _LEFT, _fitting

    value = sign * size * 10.0**power
    words = _fitting(writing.overlay, value, _LEFT - 8.0)
    assert float(words.replace("−", "-")) == pytest.approx(
        value, rel=0.05 if abs(power) < 10 else 0.5
    )
    assert writing.overlay.width_of(words, 12.0) <= _LEFT - 5.0


def test_of_a_number_all_digits_are_shown_where_they_have_room(writing):
    from spheresim_viewer.hud.plots import _fitting

    assert _fitting(writing.overlay, 12750.0, 36.0) == "12750"
    assert _fitting(writing.overlay, 12750.0, 30.0) == "1.3e4"


def test_no_rates_are_told_where_time_stands_still(screen):
    from spheresim_viewer.hud.rates import Rates

    rates = Rates()
    for impacts in range(3):
        rates.add_frame(impacts, running=True)
    assert all(rates.rows().values())
    rates.add_frame(3, running=False)
    assert set(rates.rows().values()) == {""}
