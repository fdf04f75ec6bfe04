"""The viewer as a server: for this machine only, behind a token, with four answers and no files.

    GET  /TOKEN/             the page
    GET  /TOKEN/data         the data of the run
    GET  /TOKEN/signal?name= one curve
    POST /TOKEN/rerun        {"changes": {"mass": 2.0}} runs the system again and returns its data

Another page in the same browser can reach loopback too, so the names of host and origin are
checked, and a request without the token learns nothing.
"""

from __future__ import annotations

import hmac
import json
import secrets
import threading
import webbrowser
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np

from cornerlaw.errors import CornerlawError, FileError, UsageError
from cornerlaw.results import Solution
from cornerlaw.viewer.page import served_page, served_policy
from cornerlaw.viewer.payload import build_payload, check_frames
from cornerlaw.viewer.sampling import MOST, Frames
from cornerlaw.viewer.signals import signal_values

HOST = "127.0.0.1"
LARGEST = 1_000_000  # bytes of a message
PATIENCE = 60.0  # seconds until a silent connection is closed
HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


# of answers that are no page: nothing in them is ever shown or run
NOTHING = "default-src 'none'; frame-ancestors 'none'"


class Refused(Exception):
    """A request that gets an error as answer."""

    def __init__(self, status: HTTPStatus, text: str = "") -> None:
        super().__init__(text or status.phrase)
        self.status = status


class Show:
    """What is being shown: the run, its frames, and how to run it again."""

    def __init__(self, sol: Solution, frames: int, title: str) -> None:
        self.limit, self.title = frames, title
        self._lock = threading.Lock()  # one run at a time
        self._rerun = None if sol.origin is None else sol.origin.rerun
        self._known = () if sol.origin is None else tuple(s.name for s in sol.origin.settings)
        self._take(sol)

    def _take(self, sol: Solution) -> None:
        payload = build_payload(sol, frames=self.limit, title=self.title)
        self.sol, self.grid, self.payload = sol, Frames(sol, self.limit), payload

    def signal(self, name: str) -> bytes:
        """Return a curve as numbers of 4 bytes."""
        with self._lock:
            try:
                channel, entry = self.sol.channels.resolve(name)
            except CornerlawError:
                raise Refused(HTTPStatus.NOT_FOUND) from None
            values = signal_values(self.sol, self.grid, channel.name, entry)
        return np.ascontiguousarray(values, dtype="<f4").tobytes()

    def rerun(self, message: Any) -> bytes:
        """Run the system again with changed parameters and return its data."""
        if self._rerun is None:
            raise Refused(HTTPStatus.CONFLICT, "This run has no parameters that can be changed.")
        changes = message.get("changes") if isinstance(message, dict) else None
        if not isinstance(changes, dict):
            raise Refused(HTTPStatus.BAD_REQUEST, "The message has no changes.")
        for name, value in changes.items():
            if name not in self._known or not isinstance(value, bool | int | float):
                raise Refused(HTTPStatus.BAD_REQUEST, "A change is no number of a parameter.")
        with self._lock:
            try:
                self._take(self._rerun(changes))
            except CornerlawError as error:
                raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, str(error)) from None
            return self.payload


class Server(ThreadingHTTPServer):
    """Listens on loopback and nowhere else."""

    daemon_threads = True

    def __init__(self, show: Show, port: int) -> None:
        self.show, self.token = show, secrets.token_urlsafe(24)
        super().__init__((HOST, port), Handler)
        number = self.server_address[1]
        self.hosts = frozenset((f"{HOST}:{number}", f"localhost:{number}"))
        self.origins = frozenset(f"http://{name}" for name in self.hosts)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Stay silent when a browser closes a connection."""


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: Server
    server_version = "cornerlaw"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout = PATIENCE

    def log_message(self, format: str, *arguments: Any) -> None:
        """Write no log: the terminal belongs to the user."""

    def do_GET(self) -> None:
        """Answer with the page, the data or a curve."""
        self._answer(self._get)

    def do_POST(self) -> None:
        """Run again."""
        self._answer(self._post)

    def _answer(self, work: Any) -> None:
        try:
            kind, content = work(self._checked_path())
            self._send(HTTPStatus.OK, kind, content)
        except Refused as error:
            # what is left of the message is not read, so the connection cannot go on
            self.close_connection = True
            content = json.dumps({"error": str(error)}).encode()
            self._send(error.status, "application/json", content)

    def _checked_path(self) -> str:
        """Return what is asked for behind the token, after all checks."""
        if self.headers.get("Host", "") not in self.server.hosts:
            raise Refused(HTTPStatus.FORBIDDEN)
        origin = self.headers.get("Origin")
        if origin is not None and origin not in self.server.origins:
            raise Refused(HTTPStatus.FORBIDDEN)
        if self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            raise Refused(HTTPStatus.FORBIDDEN)
        empty, _, rest = self.path.partition("/")
        token, _, name = rest.partition("/")
        if empty or not hmac.compare_digest(token.encode(), self.server.token.encode()):
            raise Refused(HTTPStatus.FORBIDDEN)
        return name

    def _get(self, name: str) -> tuple[str, bytes]:
        if name == "":
            return "text/html; charset=utf-8", served_page().encode()
        if name == "data":
            return "application/octet-stream", self.server.show.payload
        parts = urlsplit(name)
        if parts.path == "signal":
            wanted = parse_qs(parts.query).get("name", [])
            if len(wanted) == 1:
                return "application/octet-stream", self.server.show.signal(wanted[0])
        raise Refused(HTTPStatus.NOT_FOUND)

    def _post(self, name: str) -> tuple[str, bytes]:
        if name != "rerun":
            raise Refused(HTTPStatus.NOT_FOUND)
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdigit() or "Transfer-Encoding" in self.headers:
            raise Refused(HTTPStatus.LENGTH_REQUIRED)
        if len(length) > 9 or int(length) > LARGEST:
            raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        if self.headers.get_content_type() != "application/json":
            raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
        try:
            message = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            raise Refused(HTTPStatus.BAD_REQUEST, "The message is no JSON.") from None
        return "application/octet-stream", self.server.show.rerun(message)

    def _send(self, status: HTTPStatus, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        if self.close_connection:
            self.send_header("Connection", "close")
        policy = served_policy() if kind.startswith("text/html") else NOTHING
        for name, value in {**HEADERS, "Content-Security-Policy": policy}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)


class Viewer:
    """A run in the browser; `url` opens it, `close` ends it."""

    def __init__(
        self, sol: Solution, *, port: int = 0, frames: int = MOST, title: str = ""
    ) -> None:
        if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port <= 65535:
            raise UsageError(f"port must be a whole number from 0 to 65535, got {port!r}.")
        served_page()  # a page that is missing is told before any work
        show = Show(sol, check_frames(frames), title)
        try:
            self._server = Server(show, port)
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise FileError(f"The viewer cannot listen on port {port}: {reason}.") from None
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """The address, which only works on this machine and only with its token."""
        return f"http://{HOST}:{self._server.server_address[1]}/{self._server.token}/"

    @property
    def solution(self) -> Solution:
        """The run that is shown: the last one after changes of parameters."""
        return self._server.show.sol

    def wait(self) -> None:
        """Serve until Ctrl-C or `close`."""
        try:
            while self._thread.is_alive():
                self._thread.join(0.2)
        except KeyboardInterrupt:
            self.close()

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Viewer at {self.url}>"


def view(
    sol: Solution,
    *,
    port: int = 0,
    browser: bool = True,
    frames: int = MOST,
    title: str = "",
) -> Viewer:
    """Show the run in a browser, served on this machine only; returns the viewer.

    port     0 takes any that is free
    browser  False opens none: take `url` of what is returned
    frames   at most so many moments, between which the page interpolates

    The server ends with `close()`, or with Python. `sol.view().wait()` keeps a script alive.
    """
    viewer = Viewer(sol, port=port, frames=frames, title=title)
    if browser:
        webbrowser.open(viewer.url)
    return viewer
