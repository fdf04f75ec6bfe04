"""`cornerlaw view` and `cornerlaw run --view`."""

from pathlib import Path

import pytest
from browsers import need_page

from cornerlaw.cli import main


@pytest.fixture
def _page() -> None:
    need_page()


built = pytest.mark.usefixtures("_page")


@built
def test_run_and_view_write_pages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result, page, again = (tmp_path / name for name in ("a.nc", "a.html", "b.html"))
    run = ["run", "pendulum", "--t-end", "0.2", "--out", str(result), "--view", str(page)]
    assert main(run) == 0
    assert main(["view", str(result), "--html", str(again)]) == 0
    assert f"wrote {again}" in capsys.readouterr().out
    assert page.stat().st_size > 100_000 and again.stat().st_size > 100_000


def test_wrong_sources_are_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", str(tmp_path / "none.nc")]) == 2
    assert main(["view", "nobody"]) == 2
    assert main(["view", "pendulum", "--html", str(tmp_path / "a.png")]) == 2
    assert main(["run", "pendulum", "--view", str(tmp_path / "a.txt")]) == 2
    assert capsys.readouterr().err.count("cornerlaw: ") == 4


def test_a_run_from_a_file_can_run_again(tmp_path: Path) -> None:
    from cornerlaw import gallery
    from cornerlaw.cli.view import _solution

    sol = gallery.find("pendulum").run(options={"t_end": 0.2}, amplitude=0.7)
    sol.save(tmp_path / "a.nc")
    origin = _solution(str(tmp_path / "a.nc")).origin
    assert {s.name: s.value for s in origin.settings}["amplitude"] == 0.7
    assert callable(origin.rerun)


@built
def test_files_are_written_without_a_display(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("imageio_ffmpeg")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    # where there is no browser either, matplotlib draws
    monkeypatch.setattr("cornerlaw.viewer.pictures.find_browser", lambda: None)
    result = tmp_path / "a.nc"
    assert main(["run", "pendulum", "--t-end", "0.1", "--out", str(result)]) == 0
    page, picture, video = (tmp_path / name for name in ("a.html", "a.png", "a.mp4"))
    given = ["--html", str(page), "--png", str(picture), "--at", "0.05", "--video", str(video)]
    monkeypatch.setattr("cornerlaw.viewer.pictures.LENGTH", 0.2)  # [s] of the video
    assert main(["view", str(result), *given]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == f"wrote {page}, {picture}, {video}"
    assert picture.read_bytes()[:4] == b"\x89PNG" and video.read_bytes()[4:8] == b"ftyp"
    assert page.read_text().startswith("<!")
    assert main(["view", str(result), "--at", "0.05"]) == 2
    assert main(["view", str(result), "--png", str(tmp_path / "a.jpg")]) == 2
