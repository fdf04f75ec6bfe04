"""What a test of the page needs: the built page and a browser; where they must be, none is skipped.

`.ci/run` sets CORNERLAW_NEED_BROWSER=1 where it installs Chromium, and there a missing browser or
page is a failure.
"""

import os
from typing import NoReturn

import pytest

from cornerlaw.viewer.browser import find_browser
from cornerlaw.viewer.page import BUILT

NEEDED = "CORNERLAW_NEED_BROWSER"


def leave(reason: str) -> NoReturn:
    """Skip the test, or fail where it must run."""
    if os.environ.get(NEEDED, "0") not in ("", "0"):
        pytest.fail(f"{reason}, and {NEEDED} says that it must be there", pytrace=False)
    pytest.skip(reason)


def need_page() -> None:
    """Leave the test where the page has not been built."""
    if not BUILT.is_file():
        leave("the page of the viewer is not built: `make page` needs Node")


def need_browser() -> str:
    """Return the program that draws the page; leave the test where there is none."""
    need_page()
    program = find_browser()
    if program is None:
        leave("there is no Chromium on this machine")
    return program
