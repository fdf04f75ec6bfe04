"""Dynamics of machines whose parts touch, stick, slip, hit, open and close.

Public names are imported when they are first used: importing the package imports no Numba.
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from cornerlaw._version import __version__

if TYPE_CHECKING:
    from cornerlaw.analysis import (
        Section as Section,
    )
    from cornerlaw.analysis import (
        bifurcation_diagram as bifurcation_diagram,
    )
    from cornerlaw.analysis import (
        continue_orbit as continue_orbit,
    )
    from cornerlaw.analysis import (
        linearise as linearise,
    )
    from cornerlaw.analysis import (
        lyapunov_exponent as lyapunov_exponent,
    )
    from cornerlaw.analysis import (
        mode_motion as mode_motion,
    )
    from cornerlaw.analysis import (
        periodic_orbit as periodic_orbit,
    )
    from cornerlaw.analysis import (
        poincare as poincare,
    )
    from cornerlaw.analysis import (
        read_sweep as read_sweep,
    )
    from cornerlaw.analysis import (
        saltation as saltation,
    )
    from cornerlaw.analysis import (
        sweep as sweep,
    )
    from cornerlaw.analysis import (
        symbolic as symbolic,
    )
    from cornerlaw.errors import (
        AssemblyError as AssemblyError,
    )
    from cornerlaw.errors import (
        CompileError as CompileError,
    )
    from cornerlaw.errors import (
        CornerlawError as CornerlawError,
    )
    from cornerlaw.errors import (
        DuplicateNameError as DuplicateNameError,
    )
    from cornerlaw.errors import (
        FileError as FileError,
    )
    from cornerlaw.errors import (
        MissingExtraError as MissingExtraError,
    )
    from cornerlaw.errors import (
        ModelError as ModelError,
    )
    from cornerlaw.errors import (
        OutputError as OutputError,
    )
    from cornerlaw.errors import (
        SimulationError as SimulationError,
    )
    from cornerlaw.errors import (
        SingularConfiguration as SingularConfiguration,
    )
    from cornerlaw.errors import (
        UnitError as UnitError,
    )
    from cornerlaw.errors import (
        UnknownNameError as UnknownNameError,
    )
    from cornerlaw.errors import (
        UsageError as UsageError,
    )
    from cornerlaw.io import (
        read_fclib as read_fclib,
    )
    from cornerlaw.io import (
        write_fclib as write_fclib,
    )
    from cornerlaw.model import (
        PD as PD,
    )
    from cornerlaw.model import (
        PID as PID,
    )
    from cornerlaw.model import (
        AllContacts as AllContacts,
    )
    from cornerlaw.model import (
        Arc as Arc,
    )
    from cornerlaw.model import (
        Backlash as Backlash,
    )
    from cornerlaw.model import (
        BilateralRow as BilateralRow,
    )
    from cornerlaw.model import (
        Body as Body,
    )
    from cornerlaw.model import (
        Box as Box,
    )
    from cornerlaw.model import (
        Brake as Brake,
    )
    from cornerlaw.model import (
        Bushing as Bushing,
    )
    from cornerlaw.model import (
        Capsule as Capsule,
    )
    from cornerlaw.model import (
        Circle as Circle,
    )
    from cornerlaw.model import (
        Clutch as Clutch,
    )
    from cornerlaw.model import (
        Cone as Cone,
    )
    from cornerlaw.model import (
        Constraint as Constraint,
    )
    from cornerlaw.model import (
        Contact as Contact,
    )
    from cornerlaw.model import (
        ContactPoint as ContactPoint,
    )
    from cornerlaw.model import (
        Contour as Contour,
    )
    from cornerlaw.model import (
        Coulomb as Coulomb,
    )
    from cornerlaw.model import (
        Coupling as Coupling,
    )
    from cornerlaw.model import (
        Curve as Curve,
    )
    from cornerlaw.model import (
        Cylinder as Cylinder,
    )
    from cornerlaw.model import (
        Cylindrical as Cylindrical,
    )
    from cornerlaw.model import (
        Damper as Damper,
    )
    from cornerlaw.model import (
        Delay as Delay,
    )
    from cornerlaw.model import (
        Differential as Differential,
    )
    from cornerlaw.model import (
        Disk as Disk,
    )
    from cornerlaw.model import (
        Distance as Distance,
    )
    from cornerlaw.model import (
        Drag as Drag,
    )
    from cornerlaw.model import (
        Edge as Edge,
    )
    from cornerlaw.model import (
        Ellipsoid as Ellipsoid,
    )
    from cornerlaw.model import (
        Force as Force,
    )
    from cornerlaw.model import (
        ForceElement as ForceElement,
    )
    from cornerlaw.model import (
        Frame as Frame,
    )
    from cornerlaw.model import (
        FreeJoint as FreeJoint,
    )
    from cornerlaw.model import (
        Freewheel as Freewheel,
    )
    from cornerlaw.model import (
        Gear as Gear,
    )
    from cornerlaw.model import (
        Grains as Grains,
    )
    from cornerlaw.model import (
        Ground as Ground,
    )
    from cornerlaw.model import (
        HeightField as HeightField,
    )
    from cornerlaw.model import (
        HuntCrossley as HuntCrossley,
    )
    from cornerlaw.model import (
        Inertia as Inertia,
    )
    from cornerlaw.model import (
        Input as Input,
    )
    from cornerlaw.model import (
        Interpreted as Interpreted,
    )
    from cornerlaw.model import (
        Joint as Joint,
    )
    from cornerlaw.model import (
        JointFriction as JointFriction,
    )
    from cornerlaw.model import (
        KelvinVoigt as KelvinVoigt,
    )
    from cornerlaw.model import (
        LagrangianSystem as LagrangianSystem,
    )
    from cornerlaw.model import (
        LankaraniNikravesh as LankaraniNikravesh,
    )
    from cornerlaw.model import (
        Limit as Limit,
    )
    from cornerlaw.model import (
        Line as Line,
    )
    from cornerlaw.model import (
        Materials as Materials,
    )
    from cornerlaw.model import (
        Mesh as Mesh,
    )
    from cornerlaw.model import (
        Model as Model,
    )
    from cornerlaw.model import (
        Motion as Motion,
    )
    from cornerlaw.model import (
        Motor as Motor,
    )
    from cornerlaw.model import (
        MovingFrame as MovingFrame,
    )
    from cornerlaw.model import (
        Multipliers as Multipliers,
    )
    from cornerlaw.model import (
        Parabola as Parabola,
    )
    from cornerlaw.model import (
        Part as Part,
    )
    from cornerlaw.model import (
        PathSpring as PathSpring,
    )
    from cornerlaw.model import (
        PlanarJoint as PlanarJoint,
    )
    from cornerlaw.model import (
        Plane as Plane,
    )
    from cornerlaw.model import (
        PointMass as PointMass,
    )
    from cornerlaw.model import (
        Polygon as Polygon,
    )
    from cornerlaw.model import (
        Polyhedron as Polyhedron,
    )
    from cornerlaw.model import (
        PositionActuator as PositionActuator,
    )
    from cornerlaw.model import (
        Prismatic as Prismatic,
    )
    from cornerlaw.model import (
        Pulley as Pulley,
    )
    from cornerlaw.model import (
        Rack as Rack,
    )
    from cornerlaw.model import (
        Revolute as Revolute,
    )
    from cornerlaw.model import (
        Ring as Ring,
    )
    from cornerlaw.model import (
        Rod as Rod,
    )
    from cornerlaw.model import (
        Rolling as Rolling,
    )
    from cornerlaw.model import (
        Rope as Rope,
    )
    from cornerlaw.model import (
        Rotor as Rotor,
    )
    from cornerlaw.model import (
        Sampled as Sampled,
    )
    from cornerlaw.model import (
        ScaledInput as ScaledInput,
    )
    from cornerlaw.model import (
        Screw as Screw,
    )
    from cornerlaw.model import (
        Segment as Segment,
    )
    from cornerlaw.model import (
        Sensor as Sensor,
    )
    from cornerlaw.model import (
        SetRow as SetRow,
    )
    from cornerlaw.model import (
        Shape as Shape,
    )
    from cornerlaw.model import (
        Slider as Slider,
    )
    from cornerlaw.model import (
        Sphere as Sphere,
    )
    from cornerlaw.model import (
        Spherical as Spherical,
    )
    from cornerlaw.model import (
        SplineCurve as SplineCurve,
    )
    from cornerlaw.model import (
        Spring as Spring,
    )
    from cornerlaw.model import (
        Stop as Stop,
    )
    from cornerlaw.model import (
        Stribeck as Stribeck,
    )
    from cornerlaw.model import (
        Submodel as Submodel,
    )
    from cornerlaw.model import (
        Surface as Surface,
    )
    from cornerlaw.model import (
        Table as Table,
    )
    from cornerlaw.model import (
        Torque as Torque,
    )
    from cornerlaw.model import (
        TorsionSpring as TorsionSpring,
    )
    from cornerlaw.model import (
        Torus as Torus,
    )
    from cornerlaw.model import (
        Translation as Translation,
    )
    from cornerlaw.model import (
        Tube as Tube,
    )
    from cornerlaw.model import (
        UnilateralRow as UnilateralRow,
    )
    from cornerlaw.model import (
        Universal as Universal,
    )
    from cornerlaw.model import (
        UserContact as UserContact,
    )
    from cornerlaw.model import (
        UserJoint as UserJoint,
    )
    from cornerlaw.model import (
        UserSet as UserSet,
    )
    from cornerlaw.model import (
        VelocityActuator as VelocityActuator,
    )
    from cornerlaw.model import (
        Weld as Weld,
    )
    from cornerlaw.model import (
        hertz_stiffness as hertz_stiffness,
    )
    from cornerlaw.model import (
        inertia as inertia,
    )
    from cornerlaw.model import (
        rotation as rotation,
    )
    from cornerlaw.model.impact_laws import (
        Cradle as Cradle,
    )
    from cornerlaw.model.impact_laws import (
        ImpactLaw as ImpactLaw,
    )
    from cornerlaw.model.impact_laws import (
        Newton as Newton,
    )
    from cornerlaw.model.impact_laws import (
        NewtonBoth as NewtonBoth,
    )
    from cornerlaw.model.impact_laws import (
        Poisson as Poisson,
    )
    from cornerlaw.model.impact_laws import (
        Sequential as Sequential,
    )
    from cornerlaw.problems import (
        ContactProblem as ContactProblem,
    )
    from cornerlaw.problems import (
        sets as sets,
    )
    from cornerlaw.results import (
        Solution as Solution,
    )
    from cornerlaw.results import (
        load as load,
    )
    from cornerlaw.simulate import (
        Limits as Limits,
    )
    from cornerlaw.simulate import (
        Simulation as Simulation,
    )
    from cornerlaw.simulate import (
        assemble as assemble,
    )
    from cornerlaw.simulate import (
        distance as distance,
    )
    from cornerlaw.simulate import (
        equilibrium as equilibrium,
    )
    from cornerlaw.simulate import (
        inverse_dynamics as inverse_dynamics,
    )
    from cornerlaw.simulate import (
        kinematics as kinematics,
    )
    from cornerlaw.simulate import (
        query as query,
    )
    from cornerlaw.simulate import (
        resume as resume,
    )
    from cornerlaw.simulate import (
        simulate as simulate,
    )
    from cornerlaw.simulate.complementarity import (
        ADMM as ADMM,
    )
    from cornerlaw.simulate.complementarity import (
        AcceleratedGradient as AcceleratedGradient,
    )
    from cornerlaw.simulate.complementarity import (
        Auto as Auto,
    )
    from cornerlaw.simulate.complementarity import (
        ContactResult as ContactResult,
    )
    from cornerlaw.simulate.complementarity import (
        GaussSeidel as GaussSeidel,
    )
    from cornerlaw.simulate.complementarity import (
        InfeasibilityCertificate as InfeasibilityCertificate,
    )
    from cornerlaw.simulate.complementarity import (
        InteriorPoint as InteriorPoint,
    )
    from cornerlaw.simulate.complementarity import (
        Jacobi as Jacobi,
    )
    from cornerlaw.simulate.complementarity import (
        Lemke as Lemke,
    )
    from cornerlaw.simulate.complementarity import (
        Pivoting as Pivoting,
    )
    from cornerlaw.simulate.complementarity import (
        SemismoothNewton as SemismoothNewton,
    )
    from cornerlaw.simulate.complementarity import (
        check_certificate as check_certificate,
    )
    from cornerlaw.simulate.complementarity import (
        find_certificate as find_certificate,
    )
    from cornerlaw.simulate.complementarity import (
        solve_pyramid as solve_pyramid,
    )
    from cornerlaw.simulate.event_driven import (
        EventDriven as EventDriven,
    )
    from cornerlaw.simulate.granular import (
        Granular as Granular,
    )
    from cornerlaw.simulate.impact import (
        ImpactResult as ImpactResult,
    )
    from cornerlaw.simulate.impact import (
        solve_impact as solve_impact,
    )
    from cornerlaw.simulate.methods import (
        GeneralisedAlpha as GeneralisedAlpha,
    )
    from cornerlaw.simulate.methods import (
        Radau as Radau,
    )
    from cornerlaw.simulate.methods import (
        RungeKutta4 as RungeKutta4,
    )
    from cornerlaw.simulate.methods import (
        RungeKutta5 as RungeKutta5,
    )
    from cornerlaw.simulate.methods import (
        RungeKutta8 as RungeKutta8,
    )
    from cornerlaw.simulate.methods import (
        SemiImplicitEuler as SemiImplicitEuler,
    )
    from cornerlaw.simulate.stepping import (
        HalfExplicit as HalfExplicit,
    )
    from cornerlaw.simulate.stepping import (
        Moreau as Moreau,
    )
    from cornerlaw.simulate.stepping import (
        Stiegelmeyr as Stiegelmeyr,
    )
    from cornerlaw.simulate.stepping import (
        Theta as Theta,
    )

_HOMES = {
    "cornerlaw.model": """
        AllContacts Arc Backlash BilateralRow Body Box Brake Bushing Capsule Circle Clutch Cone
        Constraint Contact ContactPoint Contour Coulomb Coupling Curve Cylinder Cylindrical Damper
        Delay Differential Disk Distance Drag Edge Ellipsoid Force ForceElement Frame FreeJoint
        Freewheel Gear Grains Ground HeightField HuntCrossley Inertia Input Interpreted Joint
        JointFriction KelvinVoigt LagrangianSystem LankaraniNikravesh Limit Line Materials Mesh
        Model Motion Motor MovingFrame Multipliers PD PID Parabola Part PathSpring PlanarJoint Plane
        PointMass Polygon Polyhedron PositionActuator Prismatic Pulley Rack Revolute Ring Rod
        Rolling Rope Rotor Sampled ScaledInput Screw Segment Sensor SetRow Shape Slider Sphere
        Spherical SplineCurve Spring Stop Stribeck Submodel Surface Table Torque TorsionSpring Torus
        Translation Tube UnilateralRow Universal UserContact UserJoint UserSet VelocityActuator Weld
        hertz_stiffness inertia rotation
    """,
    "cornerlaw.simulate": """
        Limits Simulation assemble distance equilibrium inverse_dynamics kinematics query resume
        simulate
    """,
    "cornerlaw.simulate.methods": """
        GeneralisedAlpha Radau RungeKutta4 RungeKutta5 RungeKutta8 SemiImplicitEuler
    """,
    "cornerlaw.simulate.stepping": """
        HalfExplicit Moreau Stiegelmeyr Theta
    """,
    "cornerlaw.simulate.event_driven": """
        EventDriven
    """,
    "cornerlaw.simulate.granular": """
        Granular
    """,
    "cornerlaw.model.impact_laws": """
        Cradle ImpactLaw Newton NewtonBoth Poisson Sequential
    """,
    "cornerlaw.results": """
        Solution load
    """,
    "cornerlaw.analysis": """
        Section bifurcation_diagram continue_orbit linearise lyapunov_exponent mode_motion
        periodic_orbit poincare read_sweep saltation sweep symbolic
    """,
    "cornerlaw.errors": """
        AssemblyError CompileError CornerlawError DuplicateNameError FileError MissingExtraError
        ModelError OutputError SimulationError SingularConfiguration UnitError UnknownNameError
        UsageError
    """,
    "cornerlaw.simulate.complementarity": """
        ADMM AcceleratedGradient Auto ContactResult GaussSeidel InfeasibilityCertificate
        InteriorPoint Jacobi Lemke Pivoting SemismoothNewton check_certificate find_certificate
        solve_pyramid
    """,
    "cornerlaw.problems": """
        ContactProblem sets
    """,
    "cornerlaw.io": """
        read_fclib write_fclib
    """,
    "cornerlaw.simulate.impact": """
        ImpactResult solve_impact
    """,
}
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = ["__version__", *_HOME]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    home = _HOME.get(name)
    if home is None:
        # with an object of its own, lest the interpreter adds a second suggestion
        raise AttributeError(_unknown(name), name=name, obj=None)
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def _unknown(name: str) -> str:
    """Say that there is no such name, with the nearest one there is."""
    from difflib import get_close_matches

    near = [] if name.startswith("_") else get_close_matches(name, _HOME, n=1, cutoff=0.7)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"module 'cornerlaw' has no attribute {name!r}{hint}"


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)


class _Package(ModuleType):
    """The package itself; `simulate` is always the function, never the subpackage of that name."""

    @property
    def simulate(self) -> Any:
        """The function `simulate`."""
        return import_module("cornerlaw.simulate").simulate

    @simulate.setter
    def simulate(self, value: Any) -> None:
        # importing the subpackage sets the attribute; the function must stay what users reach
        pass


sys.modules[__name__].__class__ = _Package
