"""Drive trains: gears, clutches, converters, engines and machines, as parts of a model."""

from cornerlaw.drives.audit import Audit, audit, integral
from cornerlaw.drives.cardan import cardan_angle, cardan_joint, cardan_ratio
from cornerlaw.drives.clutches import (
    DiscPack,
    disc_brake,
    disc_clutch,
    lagged_pressure,
    pressed_clutch,
)
from cornerlaw.drives.converter import StreamTube, converter, lockup_converter
from cornerlaw.drives.electrical import SynchronousMachine, dc_machine
from cornerlaw.drives.engine import engine, engine_orders
from cornerlaw.drives.epicyclic import PlanetarySet, RavigneauxSet, differential, spur_pair
from cornerlaw.drives.hysteresis import Masing, bolt_slides, press_fit
from cornerlaw.drives.linear import MDGKN, Oscillator, mdgkn, proportional_damping
from cornerlaw.drives.loads import (
    Exceedance,
    Strokes,
    fit_exceedance,
    fit_gamma,
    misfit,
    rainflow,
    strokes,
    turning_points,
)
from cornerlaw.drives.lubrication import (
    gap_flow,
    gap_shear,
    journal_friction,
    slideway_damping,
)
from cornerlaw.drives.mesh import (
    MeshStiffness,
    contact_ratio_stiffness,
    gear_flanks,
    gear_mesh,
    mesh_damping,
)
from cornerlaw.drives.orders import (
    Campbell,
    Response,
    campbell,
    frequency_response,
    harmonic,
)
from cornerlaw.drives.shafts import lehr_damping, lumped_shaft, modal_shaft, shaft
from cornerlaw.drives.synchroniser import Synchroniser
from cornerlaw.drives.train import Train
from cornerlaw.drives.vehicle import road_load, tyre
from cornerlaw.drives.wet_clutch import wet_clutch

__all__ = [
    "MDGKN", "Audit", "Campbell", "DiscPack", "Exceedance", "Masing", "MeshStiffness",
    "Oscillator", "PlanetarySet", "RavigneauxSet", "Response", "StreamTube", "Strokes",
    "Synchroniser", "SynchronousMachine", "Train", "audit", "bolt_slides", "campbell",
    "cardan_angle", "cardan_joint", "cardan_ratio", "contact_ratio_stiffness", "converter",
    "dc_machine", "differential", "disc_brake", "disc_clutch", "engine", "engine_orders",
    "fit_exceedance", "fit_gamma", "frequency_response", "gap_flow", "gap_shear", "gear_flanks",
    "gear_mesh", "harmonic", "integral", "journal_friction", "lagged_pressure", "lehr_damping",
    "lockup_converter", "lumped_shaft", "mdgkn", "mesh_damping", "misfit", "modal_shaft",
    "press_fit", "pressed_clutch", "proportional_damping", "rainflow", "road_load", "shaft",
    "slideway_damping", "spur_pair", "strokes", "turning_points", "tyre", "wet_clutch",
]  # fmt: skip
