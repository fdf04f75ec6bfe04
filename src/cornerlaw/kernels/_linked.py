"""Kernels inside kernels: what is only linked into its callers gets no machine code of its own.

Numba gives every function that a kernel calls a wrapper for the interpreter and machine code, and
then links its intermediate code into the caller, where it is optimised again. Hundreds of small
kernels are never called in any other way. Here a kernel that is compiled because another one calls
it stays intermediate code ("linked"); if the interpreter or an address asks for it later, it is
compiled as a whole. The machine code of what is called is the same either way.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

import llvmlite.binding
from numba.core import sigutils
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompileResult
from numba.core.cpu import CPUContext
from numba.core.registry import CPUDispatcher, cpu_target


class LinkedLibrary(JITCodeLibrary):
    """Optimised intermediate code; machine code is made if somebody asks for an address."""

    _is_emitted = False

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> Any:
        self._ensure_finalized()
        if not self._is_emitted:
            self._is_emitted = True
            super()._finalize_final_module()
        return super().get_pointer_to_function(name)

    def serialize_using_object_code(self) -> tuple[str, str, Any]:
        self._ensure_finalized()
        return self.name, "linked", self._get_module_for_linking().as_bitcode()

    @classmethod
    def _unserialize(cls, codegen: Any, state: Any) -> "LinkedLibrary":
        name, kind, data = state
        if kind != "linked":
            raise ValueError(f"a linked kernel cannot be read from {kind}")
        self = cls(codegen, name)
        self._final_module = self._shared_module = llvmlite.binding.parse_bitcode(data)
        self._finalized = True
        return self


def is_linking() -> bool:
    """Return whether what is compiled now is for linking only."""
    return cpu_target.target_context.codegen()._library_class is LinkedLibrary


@contextlib.contextmanager
def linking(wanted: bool = True) -> Iterator[None]:
    """Compile for linking only during the block, or as a whole."""
    codegen = cpu_target.target_context.codegen()
    before = codegen._library_class
    codegen._library_class = LinkedLibrary if wanted else JITCodeLibrary
    try:
        yield
    finally:
        codegen._library_class = before


class _NoEntry(list[Any]):
    """What stands for the entry point of a linked kernel: Numba insists on a built-in function."""


_get_executable = CPUContext.get_executable


def _get_entry(self: Any, library: Any, fndesc: Any, env: Any) -> Any:
    """Return the entry point of a library; a linked kernel, without wrapper, has none."""
    if isinstance(library, LinkedLibrary):
        library._ensure_finalized()
        names = {function.name for function in library._final_module.functions}
        if fndesc.llvm_cpython_wrapper_name not in names:
            return _NoEntry().append
    return _get_executable(self, library, fndesc, env)


CPUContext.get_executable = _get_entry


class KernelDispatcher(CPUDispatcher):
    """A dispatcher whose callers get a linked kernel, and the interpreter a whole one."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        with linking():
            return super().get_call_template(args, kws)

    def compile(self, sig: Any) -> Any:
        if not is_linking():
            args = tuple(sigutils.normalize_signature(sig)[0])
            if args in self.overloads and is_linked(self.overloads[args]):
                del self.overloads[args]
            return super().compile(sig)
        options = self._compiler.targetoptions
        self._compiler.targetoptions = {**options, "no_cpython_wrapper": True}
        try:
            return super().compile(sig)
        finally:
            self._compiler.targetoptions = options

    def add_overload(self, cres: Any) -> None:
        if is_linked(cres):
            self.overloads[tuple(cres.signature.args)] = cres
        else:
            super().add_overload(cres)


def is_linked(result: Any) -> bool:
    """Return whether the result of a compilation is for linking only."""
    return isinstance(getattr(result.entry_point, "__self__", None), _NoEntry)


def rebuild_linked(target_context: Any, payload: tuple[Any, ...]) -> Any:
    """Return a linked kernel from the cache.

    There is no machine code whose environments could be set; they are kept for that of callers.
    """
    *parts, environments = payload
    result = CompileResult._rebuild(target_context, *parts, ())
    result.library._environments = environments
    return result
