# SPDX-License-Identifier: Apache-2.0
"""Types of the compiled core."""

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from talus._errors import InputError as InputError
from talus._errors import SceneError as SceneError
from talus._table import Table

__version__: str

Floats = NDArray[np.float64]
Columns = Dict[str, np.ndarray]
Records = List[Tuple[str, Union[str, bytes]]]
Rows = Tuple[int, int, np.ndarray, np.ndarray, np.ndarray]

class Certificate:
    """What happened in a step, how exactly its contact problem was solved, where the energy went."""

    units: Dict[str, str]
    step: int
    time: float
    kinetic: float
    potential: float
    momentum_x: float
    momentum_y: float
    momentum_z: float
    angular_momentum_x: float
    angular_momentum_y: float
    angular_momentum_z: float
    max_speed: float
    max_spin: float
    normal_impulse: float
    friction_impulse: float
    contact_work: float
    friction_work: float
    normal_work: float
    rolling_work: float
    adhesion_work: float
    bond_work: float
    external_work: float
    spring_work: float
    joint_work: float
    driven_work: float
    cell_work: float
    correction_work: float
    correction_angular_momentum_x: float
    correction_angular_momentum_y: float
    correction_angular_momentum_z: float
    max_correction: float
    max_correction_turn: float
    defect: float
    turnover: float
    contacts: int
    sticking: int
    sliding: int
    separating: int
    max_penetration: float
    mean_penetration: float
    max_relative_penetration: float
    passed_through: int
    joint_drift: float
    region: int
    solutions: int
    solution_difference: float
    iterations: int
    residual: float
    worst_residual: float
    converged: bool
    impacts: int
    impact_contacts: int
    impact_failed: int
    impact_inadmissible: int
    impact_work: float
    impact_closing: float
    impact_cone: float
    impact_gain: float
    bodies: int
    mass: float
    born: int
    removed: int
    waiting: int
    born_mass: float
    removed_mass: float
    inflow_kinetic: float
    inflow_potential: float
    def as_dict(self) -> Dict[str, Any]: ...

class Scene:
    dimension: int
    made: bool
    text: str
    path: str
    overrides: List[str]
    warnings: List[str]
    records: Records
    bodies: List[str]
    changed_text: str
    title: str
    step: float
    end: float
    @staticmethod
    def load(path: str, overrides: List[str]) -> Scene: ...
    @staticmethod
    def from_text(
        text: str, path: str, overrides: List[str], records: Optional[Records], made: bool
    ) -> Scene: ...
    def means_the_same_as(self, other: Scene) -> bool: ...

class World:
    time: float
    """Time at the end of the last step [s]."""
    steps: int
    stopped: bool
    """Whether a stop condition of the scene holds."""
    kinetic_energy: float
    potential_energy: float
    names: List[str]
    position: Floats
    """Of mass centres [m], a view that cannot be written to."""
    velocity: Floats
    spin: Floats
    """[rad/s], in the plane one number per body."""
    mass: Floats
    """[kg]; 0 for fixed and driven bodies."""
    orientation: Floats
    """Angles in the plane, quaternions (w, x, y, z) in space; a copy."""
    contacts: Table
    """Contacts of the last step; `force` [N] acts on body_b."""
    def __init__(self, scene: Scene, threads: int) -> None: ...
    def step(self) -> Certificate:
        """Makes one time step."""
    def advance(self, steps: int) -> Certificate:
        """Makes so many steps, fewer if a stop condition holds; returns the last certificate."""
    def apply_force(
        self,
        body: Union[int, str],
        force: Sequence[float],
        torque: Optional[Union[Sequence[float], Floats]] = None,
        point: Optional[Union[Sequence[float], Floats]] = None,
    ) -> None:
        """Lets a force [N] act on a free body from the next step on, at its mass centre or, with its
        present moment, at a point [m]. It replaces what was applied to the body before."""
    def drive(
        self,
        body: Union[int, str],
        velocity: Sequence[float],
        spin: Optional[Sequence[float]] = None,
    ) -> None:
        """Gives a driven body these velocities [m/s], [rad/s] from the next step on."""

class RunFile:
    path: str
    def __init__(self, path: str) -> None: ...
    def header(self) -> Dict[str, Any]: ...
    def scene(self) -> Tuple[str, List[str], Records]: ...
    def bodies(self) -> Columns: ...
    def frames(self) -> Tuple[Floats, NDArray[np.int64]]: ...
    def state(self, frame: int) -> Columns: ...
    def contacts(self, frame: int) -> Columns: ...
    def joints(self, frame: int) -> Columns: ...
    def series(self) -> Columns: ...
    def measures(self) -> Dict[str, Columns]: ...
    def impacts(self) -> Columns: ...
    def check(self) -> str: ...
    def page(self, megabytes: float) -> str: ...

class ContactProblem: ...

class AnalysisOptions:
    def __init__(self, massless: List[str], particles: List[str], blows: List[str], seconds: float) -> None: ...

def run_command_line(command: List[str], words: List[str]) -> int: ...
def scenes_folder() -> str: ...
def run(
    scene: Scene,
    output: str,
    *,
    threads: int,
    until: Optional[float],
    checkpoint_every: float,
    checkpoint_interval: Optional[float],
    stop_after: Optional[float],
    resume: bool,
    force: bool,
    save_problems: List[str],
    on_step: Optional[Callable[[World, Certificate], Any]],
    on_frame: Optional[Callable[[World, int], Any]],
    progress: Optional[Callable[[int, int, int, Certificate], Any]],
) -> Optional[Tuple[str, List[str]]]: ...
def series_units() -> Dict[str, str]: ...
def local_problem(W: Rows, b: ArrayLike, mu: ArrayLike) -> ContactProblem: ...
def global_problem(
    M: Rows, H: Rows, f: ArrayLike, b: ArrayLike, mu: ArrayLike
) -> ContactProblem: ...
def read_problem(path: str) -> ContactProblem: ...
def solve(
    problem: ContactProblem,
    *,
    solver: str,
    tolerance: float,
    max_iterations: int,
    time_limit: float,
    threads: int,
) -> Dict[str, Any]: ...
def analyze_scene(scene: Scene, at: Optional[float], options: AnalysisOptions) -> str: ...
def analyze_run(path: str, at: Optional[float], options: AnalysisOptions) -> str: ...
