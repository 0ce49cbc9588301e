"""Ball files are read at once where nothing is wrong with them, else cell by cell: to one end."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spheresim.scene import ball_file
from spheresim.scene.ball_file import OPTIONAL, REQUIRED, ball_file_text, read_ball_file
from spheresim.scene.faults import Faults

odd = ["", " 1", "1 ", "\t2\t", "1_0", "0x1p3", "nan", "inf", "1e80", "-1", "0", "1e-80", "+.5e1"]
odd += ["１", "1.5d0", '"1"', "1 2", "\x0b1", "5e-324", "1\u20282", "1,", "#1", "1e", "\xa03"]
odd_texts = [
    "",
    "ball 0",
    "ball 01",
    " ",
    "a b",
    'a"b',
    '"a,b"',
    "#",
    "\x85",
    "é",
    " red",
    "x" * 301,
]
colors = ["", "red", "#FF0000", "#f00", "Red", " red", "ball 7"]
cells = {name: st.floats(0.1, 1.0).map(repr) | st.sampled_from(odd) for name in REQUIRED}
cells |= dict.fromkeys(("mass", "restitution"), cells["x"])
cells |= {"name": st.sampled_from(odd_texts), "color": st.sampled_from(colors)}
sound = {name: st.floats(0.1, 1.0).map(repr) for name in cells}
sound |= {"name": st.sampled_from(["", "ball 1", "é", " a"]), "color": st.sampled_from(colors[:3])}


@st.composite
def tables(draw):
    """A table with an odd cell or none, some of them cut or with blank lines."""
    header = [*REQUIRED, *draw(st.lists(st.sampled_from(OPTIONAL), unique=True))]
    header = draw(st.permutations(header))
    rows = [[draw(sound[name]) for name in header] for _ in range(draw(st.integers(0, 4)))]
    for row in rows[:1]:
        k = draw(st.integers(0, len(header) - 1))
        row[k] = draw(st.one_of(cells[header[k]], sound[header[k]]))
    lines = [",".join(row) for row in rows]
    lines.insert(draw(st.integers(0, len(lines))), draw(st.sampled_from(["", "", " ", "1,2"])))
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    return end.join([",".join(header), *lines]) + draw(st.sampled_from(["", end]))


def read(path):
    faults = Faults("scene")
    return read_ball_file(path, 0.5, faults, "ball_file[0].path"), faults.lines


@given(tables())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_both_ways_to_read_come_to_the_same(tmp_path, text):
    path = tmp_path / "balls.csv"
    path.write_bytes(text.encode())
    balls, faults = read(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ball_file, "_read_plain", lambda *_: None)
        slowly, slow_faults = read(path)
    assert faults == slow_faults
    assert balls == slowly


@pytest.mark.parametrize("n", [1, 300])
def test_what_a_run_writes_is_read_at_once_and_bit_for_bit(tmp_path, monkeypatch, n):
    rng = np.random.default_rng(2)
    numbers = rng.standard_normal((n, 6)) * 10.0 ** rng.integers(-70, 70, (n, 6))
    radius, mass, restitution = rng.random((3, n))
    names = ball_file.Labels.of(f"ball {k}" if k % 3 else f"é {k}" for k in range(n))
    color = ball_file.Labels.of(["#00ff00" if k % 2 else None for k in range(n)])
    balls = ball_file.Balls(numbers[:, :3], numbers[:, 3:], radius, mass, restitution, names, color)
    path: Path = tmp_path / "balls.csv"
    path.write_text(ball_file_text(balls), encoding="utf-8", newline="\n")
    monkeypatch.setattr(ball_file, "_balls", None)
    again, faults = read(path)
    assert faults == []
    assert again == balls
    assert again.position.tobytes() == np.ascontiguousarray(balls.position).tobytes()
