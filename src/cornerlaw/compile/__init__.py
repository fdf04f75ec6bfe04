"""From a model to arrays: numbering, topology, functions, name map."""

from cornerlaw.compile.compiled import Compiled, compile_model
from cornerlaw.compile.numbers import with_numbers_of

__all__ = ["Compiled", "compile_model", "with_numbers_of"]
