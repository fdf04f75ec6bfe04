"""Pictures, videos, notebooks and the data behind them, on a machine without a display."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from browsers import need_browser, need_page
from many_bodies import many_balls

import cornerlaw as cl
from cornerlaw import gallery
from cornerlaw.viewer.packing import Container, unpack
from cornerlaw.viewer.payload import build_payload
from cornerlaw.viewer.sampling import Frames


@pytest.fixture
def _page() -> None:
    need_page()


@pytest.fixture
def _browser() -> None:
    need_browser()


built = pytest.mark.usefixtures("_page")
drawn = pytest.mark.usefixtures("_browser")


def picture_of(path: Path) -> Any:
    image = pytest.importorskip("PIL.Image")
    with image.open(path) as opened:
        return np.asarray(opened.convert("RGB"), dtype=int)


def test_frame_without_a_browser(bounce: cl.Solution, tmp_path: Path) -> None:
    images = []
    for k, t in enumerate((0.0, 0.3)):
        path = tmp_path / f"{k}.png"
        bounce.frame(t, renderer="drawing", size=(320, 240)).save(path)
        images.append(picture_of(path))
    assert images[0].shape == (240, 320, 3)
    assert (images[0] != images[1]).any(axis=2).sum() > 100


def test_drawing_of_shapes_in_space(tmp_path: Path) -> None:
    sol = gallery.find("rolling-disc").run(options={"t_end": 0.2})
    sol.frame(0.1, renderer="drawing", theme="dark", size=(320, 240)).save(tmp_path / "a.png")
    # the three discs are what is neither dark nor a text
    assert (picture_of(tmp_path / "a.png").max(axis=2) > 100).sum() > 500


@drawn
def test_frame_with_a_browser(bounce: cl.Solution, tmp_path: Path) -> None:
    bounce.frame(0.2, renderer="browser", size=(320, 240)).save(tmp_path / "a.png")
    image = picture_of(tmp_path / "a.png")
    assert image.shape == (240, 320, 3) and len(np.unique(image.reshape(-1, 3), axis=0)) > 10


def test_video_without_a_browser(bounce: cl.Solution, tmp_path: Path) -> None:
    pytest.importorskip("imageio_ffmpeg")
    path = tmp_path / "run.mp4"
    bounce.to_video(path, renderer="drawing", fps=5, speed=1.0, size=(160, 120))
    data = path.read_bytes()
    assert data[4:8] == b"ftyp" and len(data) > 1000
    assert [p.name for p in tmp_path.iterdir()] == ["run.mp4"]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda s: s.frame(9.0), "t must lie between"),
        (lambda s: s.frame("now"), "t must lie between"),
        (lambda s: s.frame(0.1, size=(1, 1)), "size must be"),
        (lambda s: s.frame(0.1, theme="pink"), "theme must be"),
        (lambda s: s.frame(0.1, renderer="pen"), "renderer must be"),
        (lambda s: s.to_video("run.gif"), "must end in .mp4"),
        (lambda s: s.to_video("run.mp4", fps=0), "fps must be"),
        (lambda s: s.to_video("run.mp4", speed=-1.0), "speed must be"),
        (lambda s: s.to_html("run.txt"), "must end in .html"),
        (lambda s: s.to_html("run.html", frames=1), "frames must be"),
    ],
)  # fmt: skip
def test_wrong_wishes_are_one_sentence(bounce: cl.Solution, call: Any, text: str) -> None:
    with pytest.raises(cl.CornerlawError, match=text):
        call(bounce)


def test_a_missing_page_says_how_to_build_it(
    bounce: cl.Solution, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from cornerlaw.viewer import page

    page.template.cache_clear()
    monkeypatch.setattr(page, "BUILT", tmp_path / "none.html")
    try:
        with pytest.raises(cl.CornerlawError, match="make page"):
            bounce.to_html(tmp_path / "run.html")
        assert bounce._repr_html_() is None
    finally:
        page.template.cache_clear()


@drawn
def test_video_with_a_browser(bounce: cl.Solution, tmp_path: Path) -> None:
    """Every picture of the video is the page's own picture of its moment."""
    reader = pytest.importorskip("imageio_ffmpeg")
    path, size = tmp_path / "run.mp4", (320, 240)
    bounce.to_video(path, renderer="browser", fps=4, speed=1.0, size=size)
    assert [p.name for p in tmp_path.iterdir()] == ["run.mp4"]
    pictures = reader.read_frames(str(path))
    head = next(pictures)
    assert head["size"] == size and head["fps"] == 4.0
    shown = [np.frombuffer(data, np.uint8).reshape(240, 320, 3).astype(int) for data in pictures]
    # 1.5 s at four pictures a second, both ends included
    assert len(shown) == 7
    moments = np.linspace(0.0, 1.5, 7)
    for k in (0, 2, 6):
        bounce.frame(moments[k], renderer="browser", size=size).save(tmp_path / "a.png")
        still = picture_of(tmp_path / "a.png")
        errors = [np.abs(frame - still).mean() for frame in shown]
        # compression changes a picture by less than the motion of the ball does
        assert int(np.argmin(errors)) == k and errors[k] < 3.0


@built
def test_notebook_shows_the_run_in_a_locked_frame(bounce: cl.Solution) -> None:
    text = bounce._repr_html_()
    assert text is not None and text.startswith("<iframe srcdoc=")
    assert 'sandbox="allow-scripts"' in text and "<script>" not in text


def test_frames_keep_both_limits_of_a_jump(bounce: cl.Solution) -> None:
    frames = Frames(bounce)
    hit = bounce.events.filter(kind="impact")[0].time
    at = np.flatnonzero(frames.t == hit)
    speed = frames.values(bounce["<script>alert(1)"].velocity[:, 1])
    assert len(at) == 2 and speed[at[0]] < 0.0 < speed[at[1]]
    assert np.diff(frames.t).min() >= 0.0


def test_frames_that_miss_rows_by_rounding_are_rows() -> None:
    """A state changes at a row: a frame a hair before it would show the one before."""
    sol = many_balls(1, 2001)
    summed = np.concatenate([[0.0], np.cumsum(np.full(2000, 0.005))])
    assert not np.isin(np.linspace(0.0, summed[-1], 2001), summed).all()
    late = cl.Solution(
        summed, np.zeros(2001, np.int8), {}, sol.channels,
        stored={name: sol.array(name) for name in sol.channels.names},
    )  # fmt: skip
    frames = Frames(late, 2001)
    assert np.array_equal(frames.t, summed)
    state = late.array("ball 0-floor.state")
    assert np.array_equal(frames.held(state), state)


def test_long_steps_bend_as_the_motion_does() -> None:
    ball = cl.PointMass("ball", mass=1.0, position=(0.0, 0.0), velocity=(1.0, 5.0))
    model = cl.Model(ball, gravity=(0.0, -10.0))
    sol = cl.simulate(model, t_end=1.0, t_eval=[0.0, 1.0])
    head, arrays = unpack(build_payload(sol))
    t, y = arrays["t"], arrays["poses"][1, 1]
    # a parabola is a cubic, so that only the 4 bytes of a number are lost
    assert np.abs(y - (5.0 * t - 5.0 * t * t)).max() < 1e-6
    assert head["poses"] == ["world", "ball"]


def test_coarse_numbers_are_as_fine_as_promised() -> None:
    random = np.random.default_rng(3)
    values = np.cumsum(random.normal(size=(4, 3, 500)), axis=2)
    box = Container()
    box.add_coarse("x", values)
    _, arrays = unpack(box.to_bytes({}))
    span = np.ptp(values, axis=2, keepdims=True)
    assert (np.abs(arrays["x"] - values) <= 0.5001 * span / 65535).all()


def test_contacts_of_many_bodies_are_kept() -> None:
    sol = many_balls(30, 400)
    head, arrays = unpack(build_payload(sol))
    state = np.array([sol[f"ball {k}-floor"].state for k in range(30)])
    frames = Frames(sol)
    expected = np.array([frames.held(row) for row in state]) > 0.0
    assert ((arrays["contact_state"] > 0) == expected).all()
    assert len(head["contacts"]) == 30


def test_a_file_can_be_seen_again(bounce: cl.Solution, tmp_path: Path) -> None:
    bounce.save(tmp_path / "run.nc")
    again = cl.load(tmp_path / "run.nc")
    assert again.scene == bounce.scene
    one, other = build_payload(bounce), build_payload(again)
    assert unpack(one)[0] == unpack(other)[0]


def test_a_file_knows_its_system(tmp_path: Path) -> None:
    sol = gallery.find("pendulum").run(options={"t_end": 0.2})
    sol.save(tmp_path / "run.nc")
    origin = cl.load(tmp_path / "run.nc").origin
    assert origin is not None and origin.system == "pendulum" and origin.rerun is None
    assert {s.name: s.value for s in origin.settings} == {
        s.name: s.value for s in sol.origin.settings
    }


@pytest.mark.parametrize(
    "scene", [{"version": 2}, {"version": 1}, {"version": 1, "name": "x", "dim": 5},
              {"version": 1, "name": "x", "dim": 2, "bodies": [{}]},
              {"version": 1, "name": "x", "dim": 2, "size": float("nan")}],
)  # fmt: skip
def test_a_damaged_scene_is_one_sentence(bounce: cl.Solution, scene: Any, tmp_path: Path) -> None:
    bounce.save(tmp_path / "run.nc")
    again = cl.load(tmp_path / "run.nc")
    again.attach(scene=scene)
    with pytest.raises(cl.CornerlawError, match="scene"):
        build_payload(again)


def test_every_system_of_the_gallery_has_a_scene() -> None:
    import json

    from cornerlaw.model.scene import describe_scene

    for system in gallery.systems():
        # systems given by equations alone say themselves what they look like
        own = getattr(system.module, "scene", None)
        scene = describe_scene(system.build()) if own is None else own(system.module.Parameters())
        json.dumps(scene, allow_nan=False)
        assert scene["bodies"] or "plan" in scene, system.name


@pytest.mark.parametrize("name", ["detachment", "stick-slip-transition"])
def test_systems_given_by_equations_are_drawn(name: str, tmp_path: Path) -> None:
    sol = gallery.find(name).run()
    images = []
    for k, t in enumerate((0.0, float(sol.t[-1]))):
        sol.frame(t, renderer="drawing", size=(320, 240)).save(tmp_path / f"{k}.png")
        images.append(picture_of(tmp_path / f"{k}.png"))
    assert (images[0] != images[1]).any(axis=2).sum() > 100


def test_masses_on_rails_are_as_large_as_their_motion() -> None:
    """Nothing tells the size of a mass on a spring that moves by a millimetre."""
    mass = cl.Slider("mass", mass=1.0, position=1e-3)
    other = cl.Slider("other", mass=1.0)
    model = cl.Model(mass, other, cl.TorsionSpring("spring", mass, stiffness=100.0))
    sol = cl.simulate(model, t_end=1.0)
    head, arrays = unpack(build_payload(sol))
    way = float(np.ptp(arrays["poses"][1, 0]))
    assert 1.9e-3 < way < 2.1e-3
    assert head["size"] == pytest.approx(2.5 * way, rel=1e-3)
    width, height, _ = head["bodies"][0]["shapes"][0]["size"]
    assert width == pytest.approx(way, rel=1e-3) and height < width
    # the second rail lies below the first one
    assert arrays["poses"][2, 1, 0] == pytest.approx(-0.6 * head["size"], rel=1e-6)
    # bodies have places, whose distances say how large things are
    wheel = cl.Body("wheel", mass=1.0)
    guide = cl.Prismatic("guide", cl.Ground(), wheel, axis=(0.0, 1.0), velocity=1e-3)
    model = cl.Model(guide)
    assert unpack(build_payload(cl.simulate(model, t_end=1.0)))[0]["size"] == 1.0
