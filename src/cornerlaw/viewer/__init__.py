"""Runs to look at: a page in the browser, one file to mail, pictures and videos.

`sol.view()` serves a run on this machine only, `sol.to_html("run.html")` writes one file that needs
no network, `sol.frame(t).save("x.png")` and `sol.to_video("run.mp4")` need no display.
"""

from cornerlaw.results.registry import register
from cornerlaw.viewer.page import notebook, to_html
from cornerlaw.viewer.pictures import Picture, frame, to_video
from cornerlaw.viewer.server import Viewer, view

register("view", view)
register("to_html", to_html)
register("to_video", to_video)
register("frame", frame)
register("notebook", notebook)

__all__ = ["Picture", "Viewer", "frame", "to_html", "to_video", "view"]
