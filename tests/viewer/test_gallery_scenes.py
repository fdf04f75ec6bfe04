"""What systems of the gallery look like: titles of their own, parts side by side."""

from collections import Counter
from typing import Any

import numpy as np

from cornerlaw import gallery
from cornerlaw.model.scene import describe_scene


def test_no_two_systems_have_the_same_title_in_the_viewer() -> None:
    names = Counter(system.build().name for system in gallery.systems())
    assert [name for name, count in names.items() if count > 1] == []


def _box(body: dict[str, Any]) -> tuple[Any, Any]:
    (shape,) = body["shapes"]
    half = 0.5 * np.array(shape["size"])
    if "rot" in shape:
        half = np.abs(np.array(shape["rot"]).reshape(3, 3)) @ half
    return np.array(shape["at"]) - half, np.array(shape["at"]) + half


def test_the_carriage_of_the_gripper_is_above_the_block_and_its_spindle_has_a_thread() -> None:
    scene = describe_scene(gallery.find("gripper").build())
    bodies = {body["name"]: body for body in scene["bodies"]}
    # both have their origin in the middle of the block
    (arm,) = [shape for shape in bodies["carriage"]["shapes"] if shape["type"] == "link"]
    lowest = min(point[2] for point in arm["points"]) - arm["r"]
    assert lowest > _box(bodies["block"])[1][2]
    assert [shape["type"] for shape in bodies["spindle"]["shapes"]] == ["mesh"]
