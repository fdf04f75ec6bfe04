"""The only place that configures Numba: the decorator of all kernels, and their machine code.

Numba's own cache looks at the file of the cached function only, so an edited callee in another file
goes unnoticed and old results come back. Here the machine code lives in a folder whose name is a
hash of every kernel and array source together with the compiler and the processor: any edit leads
to another folder. Within it, every file carries a hash of the sources its function can reach by
imports; a new folder takes over what older ones have with the same hash, so that an edit costs the
compilation of what it can change. Cache files are pickles, hence the folder belongs to the user
alone (mode 0700).
"""

import ast
import atexit
import contextlib
import functools
import gc
import hashlib
import json
import os
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import llvmlite
import llvmlite.binding
import numba
from numba.core import config
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    IndexDataCacheFile,
    _CacheLocator,
)

from cornerlaw.kernels import _claims

F = TypeVar("F", bound=Callable[..., Any])

_PACKAGE = Path(__file__).resolve().parent.parent
_KEYED_FOLDERS = ("arrays", "kernels")
_KEY_PATTERN = re.compile(r"[0-9a-f]{16}")
_FILE_KEY_PATTERN = re.compile(r"-([0-9a-f]{16})-\d+\.")
_CACHE_FILE_PATTERN = re.compile(r".*\.nb[ic](\.tmp\.[0-9a-f]+)?|keys\.(json|tmp\..*)|lock")
_KEEP_DAYS = 30.0


def _key_of(sources: dict[str, bytes]) -> str:
    """Return 16 hex digits that change with any of the sources, compiler, setting or processor."""
    digest = hashlib.sha256()
    for name, text in sorted(sources.items()):
        # name and length first, so that moving text between files changes the key as well
        digest.update(f"{name}:{len(text)}\n".encode())
        digest.update(text)
    settings = (config.OPT, config.BOUNDSCHECK, config.DEBUGINFO_DEFAULT)
    cpu = (llvmlite.binding.get_host_cpu_name(), config.CPU_NAME, config.CPU_FEATURES)
    surroundings = (numba.__version__, llvmlite.__version__, sys.version, settings, cpu)
    digest.update(repr(surroundings).encode())
    return digest.hexdigest()[:16]


def _read_sources() -> dict[str, bytes]:
    """Return the text of every kernel and array source by its path in the package."""
    return {
        path.relative_to(_PACKAGE).as_posix(): path.read_bytes()
        for folder in _KEYED_FOLDERS
        for path in (_PACKAGE / folder).rglob("*.py")
    }


def _imports_of(text: bytes, sources: dict[str, bytes]) -> set[str]:
    """Return the sources among `sources` that a text imports, a package's __init__ included."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{item.name}" for item in node.names)]
        elif isinstance(node, ast.Import):
            names = [item.name for item in node.names]
        else:
            continue
        for name in names:
            path = name.removeprefix("cornerlaw.").replace(".", "/")
            found |= {f"{path}.py", f"{path}/__init__.py"} & sources.keys()
    return found


def _reachable(name: str, imports: dict[str, set[str]]) -> set[str]:
    """Return a source and all that it imports, directly or not."""
    found, waiting = {name}, [name]
    while waiting:
        new = imports[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def _keys(sources: dict[str, bytes]) -> dict[str, str]:
    """Return for every source the key of what its functions are compiled from."""
    imports = {name: _imports_of(text, sources) for name, text in sources.items()}
    return {
        name: _key_of({other: sources[other] for other in _reachable(name, imports)})
        for name in sources
    }


_SOURCES = _read_sources()


def source_key() -> str:
    """Return 16 hex digits that change with any kernel source, compiler, setting or processor."""
    return _key_of(_SOURCES)


def _load_keys(folder: Path) -> dict[str, str]:
    """Return the keys of all sources; the folder keeps them, since finding them takes time."""
    path = folder / "keys.json"
    with contextlib.suppress(OSError, ValueError):
        kept = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(kept, dict) and kept.keys() == _SOURCES.keys():
            return kept
    keys = _keys(_SOURCES)
    with contextlib.suppress(OSError):
        draft = path.with_suffix(f".tmp.{os.getpid():x}")
        draft.write_text(json.dumps(keys), encoding="utf-8")
        draft.replace(path)
    return keys


def _take_over(root: Path, folder: Path) -> None:
    """Link what older folders have compiled from the same sources into a new one."""
    current = set(_load_keys(folder).values())
    with contextlib.suppress(OSError):
        others = [x for x in root.iterdir() if _KEY_PATTERN.fullmatch(x.name) and x != folder]
        for other in sorted(others, key=lambda x: -x.stat().st_mtime):
            if other.is_symlink() or not _claim(other):
                continue
            for path in other.glob("*.nb[ic]"):
                key = _FILE_KEY_PATTERN.search(path.name)
                target = folder / path.name
                if key and key[1] in current and not target.exists():
                    os.link(path, target)


def _cache_root() -> Path:
    """Return the parent of all keyed folders: CORNERLAW_CACHE_DIR or one in the user's cache."""
    given = os.environ.get("CORNERLAW_CACHE_DIR")
    if given:
        return Path(given).expanduser().absolute()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser().absolute() / "cornerlaw"


def _claim(folder: Path) -> bool:
    """Create the folder with mode 0700 and return whether it is ours alone and writable."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode):
            return False
        if sys.platform != "win32":
            # unpickling a file that somebody else could write would run their code
            if found.st_uid != os.getuid():
                return False
            if stat.S_IMODE(found.st_mode) & 0o022:
                return False
            if stat.S_IMODE(found.st_mode) != 0o700:
                folder.chmod(0o700)
        tempfile.TemporaryFile(dir=folder).close()
    except (OSError, RuntimeError):
        return False
    return True


def _prune(root: Path, keep: Path) -> None:
    """Delete keyed folders that nobody has used for a month; only cache files are ever removed."""
    oldest = time.time() - _KEEP_DAYS * 86400.0
    with contextlib.suppress(OSError):
        for folder in root.iterdir():
            if folder == keep or not _KEY_PATTERN.fullmatch(folder.name):
                continue
            with contextlib.suppress(OSError):
                if folder.is_symlink() or folder.stat().st_mtime > oldest:
                    continue
                for path in folder.iterdir():
                    if _CACHE_FILE_PATTERN.fullmatch(path.name):
                        path.unlink()
                folder.rmdir()


def _open_cache_folder() -> Path:
    """Return the keyed folder; without a writable user cache one below the temporary folder."""
    key = source_key()
    folder = _cache_root() / key
    is_new = not folder.exists()
    if _claim(folder):
        with contextlib.suppress(OSError):
            # the time of last use, which keeps the folder from being pruned
            os.utime(folder)
        if is_new:
            _take_over(folder.parent, folder)
            _prune(folder.parent, folder)
        return folder
    owner = f"-{os.getuid()}" if sys.platform != "win32" else ""
    shared = Path(tempfile.gettempdir()) / f"cornerlaw{owner}"
    if _claim(shared) and _claim(shared / key):
        return shared / key
    private = Path(tempfile.mkdtemp(prefix="cornerlaw-"))
    atexit.register(shutil.rmtree, private, ignore_errors=True)
    return private


CACHE_FOLDER = _open_cache_folder()
_KEYS = _load_keys(CACHE_FOLDER)


def is_cold() -> bool:
    """Return whether nothing has been compiled yet for this version on this machine."""
    try:
        return not any(path.suffix == ".nbi" for path in CACHE_FOLDER.iterdir())
    except OSError:
        return True


@contextlib.contextmanager
def _locked(folder: str) -> Iterator[None]:
    """Hold the folder's lock file during the block; a file system without locks is tolerated."""
    with open(os.path.join(folder, "lock"), "ab") as file:
        with contextlib.suppress(OSError):
            if sys.platform == "win32":
                import msvcrt

                file.seek(0)
                msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
            else:
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            if sys.platform == "win32":
                import msvcrt

                with contextlib.suppress(OSError):
                    file.seek(0)
                    msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)


class _Locator(_CacheLocator):
    """Say where the machine code of one function is kept and under which name."""

    def __init__(self, py_func: Callable[..., Any], py_file: str) -> None:
        self._name = Path(py_file).resolve().relative_to(_PACKAGE).as_posix()
        self._lineno = py_func.__code__.co_firstlineno

    def get_cache_path(self) -> str:
        return str(CACHE_FOLDER)

    def get_source_stamp(self) -> str:
        return _KEYS[self._name]

    def get_disambiguator(self) -> str:
        # two files of the same name in different folders share the rest of the file name
        name = hashlib.sha256(self._name.encode()).hexdigest()[:8]
        return f"{name}-{_KEYS[self._name]}-{self._lineno}"

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> "_Locator":
        return cls(py_func, py_file)


class _CacheFile(IndexDataCacheFile):
    """Read and write cache entries so that no accident on the disk ever reaches the user."""

    def save(self, key: Any, data: Any) -> None:
        # unlocked, two processes may give two signatures the same data file; a full disk only
        # means that the next process compiles again
        with contextlib.suppress(OSError), _locked(self._cache_path):
            super().save(key, data)

    def load(self, key: Any) -> Any:
        try:
            return super().load(key)
        except Exception:
            # a damaged file raises almost anything when unpickled: compile again
            return None

    def _load_index(self) -> Any:
        try:
            return super()._load_index()
        except Exception:
            # damaged as above; saving asks for the index too and then replaces it
            return {}


class _CacheImpl(CompileResultCacheImpl):
    _locator_classes = (_Locator,)


class _KernelCache(FunctionCache):
    _impl_class = _CacheImpl

    def __init__(self, py_func: Callable[..., Any]) -> None:
        super().__init__(py_func)
        self._cache_file = _CacheFile(
            cache_path=self._cache_path,
            filename_base=self._impl.filename_base,
            source_stamp=self._impl.locator.get_source_stamp(),
        )

    def has(self, sig: Any, target_context: Any) -> bool:
        """Return whether the machine code for some types is there."""
        return self._index_key(sig, target_context.codegen()) in self._cache_file._load_index()


class _LateCache:
    """Open a kernel's cache at its first use.

    A first run loads the machine code of a dozen kernels; the hundreds of others are linked into
    theirs, and looking for their files would take longer than the run.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __getattr__(self, name: str) -> Any:
        if name == "_opened":
            self._opened = _KernelCache(self._function)
            return self._opened
        return getattr(self._opened, name)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = self._opened.load_overload(sig, target_context)
        if found is None and _claims.shared() and _claims.take(self.claim_of(sig)):
            # somebody else may have compiled it while this process waited
            found = self._opened.load_overload(sig, target_context)
            if found is not None:
                _claims.release(self.claim_of(sig))
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        self._opened.save_overload(sig, data)
        _claims.release(self.claim_of(sig))

    def claim_of(self, sig: Any) -> Path:
        """Return the file that a process holds while it compiles the kernel for some types."""
        kinds = hashlib.sha256(repr(sig).encode()).hexdigest()[:12]
        return CACHE_FOLDER / f"{self._opened._cache_file._index_name}.tmp.{kinds}"


@functools.cache
def _is_keyed(file: str) -> bool:
    """Return whether a file is part of the hash that names the cache folder."""
    path = Path(file).resolve()
    return any(path.is_relative_to(_PACKAGE / folder) for folder in _KEYED_FOLDERS)


def keep_code(compiled: Any, function: Callable[..., Any]) -> None:
    """Keep a kernel's machine code between processes, if a hash covers its source.

    This is what Dispatcher.enable_caching does, with our cache in place of the stock one. With
    NUMBA_DISABLE_JIT=1 the plain function comes back and there is nothing to keep.
    """
    is_compiled = isinstance(compiled, numba.core.dispatcher.Dispatcher)
    if is_compiled and _is_keyed(function.__code__.co_filename):
        compiled._cache = _LateCache(function)
        compiled._compiler.compile = functools.partial(_compile, compiled._compiler.compile)


def _compile(compile_function: Callable[..., Any], *arguments: Any) -> Any:
    """Compile without the collector of cycles, which would spend a fifth of the time.

    It would look through all that the compiler knows again and again; between two compilations it
    may.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return compile_function(*arguments)
    except BaseException:
        _claims.release_all()
        raise
    finally:
        if was_enabled:
            gc.enable()


def kernel(function: F) -> F:
    """Compile a function with Numba on first call and keep its machine code between processes.

    Division by zero follows IEEE (inf, nan); fast-math is never used since it makes isnan lie.
    Functions outside the kernel folders are compiled but not kept: no hash covers their source.
    References to arrays are not counted: whoever calls keeps the memory alive, and kernels allocate
    none. Counting took a call for every array handed on, which also emptied the registers.
    """
    # kernels call each other directly or by address, never through the wrapper for C callbacks
    compiled: Any = numba.njit(error_model="numpy", no_cfunc_wrapper=True, _nrt=False)(function)
    keep_code(compiled, function)
    return compiled


def counted_kernel(function: F) -> F:
    """Compile a function that returns or makes an array: Numba asks for counted references."""
    # said, since a function takes this from its caller otherwise
    compiled: Any = numba.njit(error_model="numpy", no_cfunc_wrapper=True, _nrt=True)(function)
    keep_code(compiled, function)
    return compiled
