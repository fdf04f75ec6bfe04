"""From a model to arrays: numbering, topology, functions, name map."""

from cornerlaw.compile.compiled import Compiled, compile_model

__all__ = ["Compiled", "compile_model"]
