"""What the scenes in DART share: nothing sleeps, and no contact is left out."""

import ctypes
import sys

import dartpy as dart

MOST = 1_000_000  # contacts
SEARCHED = 256  # bytes of the solver


def new_world(scene):
    """Return a world with gravity and step of the scene in which nothing falls asleep."""
    world = dart.simulation.World()
    world.setGravity([0.0, 0.0, -scene["gravity"]])
    world.setTimeStep(scene["dt"])
    if hasattr(world, "getDeactivationOptions"):
        options = world.getDeactivationOptions()
        options.mEnabled = False
        world.setDeactivationOptions(options)
    return world


def allow_contacts(world):
    """Raise the bound of 1,000 contacts per world, beyond which bodies fall through each other.

    In C++ that is an assignment. dartpy hands out a copy of the options, and to assign to it does
    nothing; so the number is changed where the solver has it, and read back.
    """
    solver = world.getConstraintSolver()
    options = solver.getCollisionOption()
    bound, options.maxNumContacts = options.maxNumContacts, MOST
    if solver.getCollisionOption().maxNumContacts == MOST:
        return
    # an object of Python's has the address of the C++ one behind its head
    start = ctypes.c_void_p.from_address(id(solver) + object.__basicsize__).value
    for k in range(0, SEARCHED, ctypes.sizeof(ctypes.c_size_t)):
        number = ctypes.c_size_t.from_address(start + k)
        if number.value == bound:
            number.value = MOST
            if solver.getCollisionOption().maxNumContacts == MOST:
                return
            number.value = bound
    sys.exit(f"dartpy keeps DART's bound of {bound} contacts")
