"""Films as files: what they hold, and how large they are."""

import numpy as np
import pytest
from spheresim_viewer.video import usual_rate, usual_size, write_video

pytestmark = pytest.mark.compiled_only

SIZE = (160, 100)


@pytest.fixture(scope="module", autouse=True)
def av():
    return pytest.importorskip("av")


def moving_square(count):
    """A square of one color that moves over a smooth background that stays."""
    across, down = np.meshgrid(np.arange(SIZE[0]), np.arange(SIZE[1]))
    background = np.stack([across, 200 - down, 0 * across + 120], axis=-1).astype(np.uint8)
    for k in range(count):
        picture = background.copy()
        picture[40:52, 3 * k : 3 * k + 12] = (220, 60, 20)
        yield picture


def pictures_of(av, file):
    with av.open(str(file)) as container:
        return [picture.to_ndarray(format="rgb24") for picture in container.decode(video=0)]


def test_a_gif_holds_each_frame_in_nearly_its_colors(av, tmp_path):
    write_video(tmp_path / "film.gif", moving_square(40), SIZE, 20)
    found = pictures_of(av, tmp_path / "film.gif")
    assert len(found) == 40
    for picture, expected in zip(found, moving_square(40), strict=True):
        assert np.abs(picture.astype(int) - expected.astype(int)).mean() < 6.0
    assert [path.name for path in tmp_path.iterdir()] == ["film.gif"]


def test_what_stays_in_a_gif_is_written_once(tmp_path):
    sizes = []
    for count in (1, 40):
        write_video(tmp_path / "film.gif", moving_square(count), SIZE, 20)
        sizes.append((tmp_path / "film.gif").stat().st_size)
    assert sizes[1] < 4 * sizes[0]


def test_a_gif_has_the_rate_that_was_asked_for(av, tmp_path):
    write_video(tmp_path / "film.gif", moving_square(10), SIZE, 20)
    with av.open(str(tmp_path / "film.gif")) as container:
        times = [float(picture.time) for picture in container.decode(video=0)]
    np.testing.assert_allclose(np.diff(times), 0.05)


def test_an_unfinished_film_leaves_no_file(tmp_path):
    def broken():
        yield from moving_square(2)
        raise ValueError("no more")

    for name in ("film.gif", "film.mp4"):
        with pytest.raises(ValueError, match="no more"):
            write_video(tmp_path / name, broken(), SIZE, 20)
    assert not list(tmp_path.iterdir())


def test_a_gif_is_smaller_and_slower_where_nothing_is_asked_for(tmp_path):
    gif, mp4 = tmp_path / "film.GIF", tmp_path / "film.mp4"
    assert np.prod(usual_size(gif)) < np.prod(usual_size(mp4)) == np.prod(usual_size(None))
    assert usual_rate(gif) < usual_rate(mp4)
