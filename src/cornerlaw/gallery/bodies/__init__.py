"""Rigid bodies in space and small assemblies of them: tops, discs, cranes, carts."""
