"""The summary that a run prints at its end."""

from pathlib import Path
from typing import Any

from spheresim.analysis.drift import EnergyAccount
from spheresim.engines.catalogue import is_stepped
from spheresim.scene import Scene
from spheresim.scene.faults import one_line

WANDER = (
    "under gravity and in fields the energy varies, because the fixed timestep's integrator "
    "(semi-implicit Euler) accelerates balls once a step; a smaller --step reduces this, --engine "
    "events is exact"
)

_GAS = {
    "collision_rate": "per ball and time",
    "mean_free_time": "",
    "mean_free_path": "",
    "temperature": "",
    "pressure": "",
    "compressibility_factor": "",
    "shear_viscosity": "",
}


def print_summary(
    info: dict[str, Any],
    account: EnergyAccount,
    directory: Path,
    scene: Scene,
    done_here: tuple[int, int],
    is_lossless: bool,
) -> None:
    """Print how a run went, in a few lines.

    done_here: steps and impacts of these CPU seconds; is_lossless: whether no impact takes energy.
    """
    # Steps and speed.
    seconds = max(info["cpu_seconds"], 1e-9)
    steps = f"after {info['steps']} steps of" if info["steps"] else "with"
    steps_here, impacts_here = done_here
    speed = f"{impacts_here / seconds:.3g} impacts a second ({seconds:.3g} s)"
    if info["steps"]:
        speed = f"{len(scene.balls) * steps_here / seconds:.3g} ball-steps a second, {speed}"

    # End, counts, conserved quantities.
    print(
        f"{'finished' if info['finished'] else 'interrupted'} at t = {info['time']:.10g}, "
        f"{steps} {len(scene.balls)} ball{'s' * (len(scene.balls) != 1)}; "
        f"written to {one_line(directory)}\n"
        f"impacts          {info['impacts']} ({info['ball_impacts']} between balls, "
        f"{info['obstacle_impacts']} on obstacles)\n"
        f"{_conserved(info, account, scene)}"
        f"{_at_rest(info, len(scene.balls))}"
        f"deepest overlap  {info['deepest_overlap']:.3g}\n"
        f"speed            {speed}"
    )

    # Notes.
    if info["collapse_answers"]:
        print(f"collapse rule    applied {info['collapse_answers']} times (inelastic collapse)")
    if "collision_rate" in info and (is_lossless or not _comes_to_rest(scene)):
        _print_gas(info)
    if is_stepped(scene.engine, scene.gravity, scene.field):
        print(f"note: {account.step_advice(scene.step) or WANDER}")


def _conserved(info: dict[str, Any], account: EnergyAccount, scene: Scene) -> str:
    """Lines on energy, and on momentum unless gravity, a field, a heat bath or obstacles change
    it."""
    rows = account.rows("energy at end")
    is_free = not any(scene.gravity) and scene.field is None and scene.thermostat is None
    if is_free and info["obstacle_impacts"] == 0:
        drift = info["momentum_drift"]
        rows.append(("momentum drift", f"{drift:.1e} of the sum of all m|v|" if drift else "none"))
    return "".join(f"{label:<16} {value}\n" for label, value in rows)


def _at_rest(info: dict[str, Any], balls: int) -> str:
    """A line on the balls that rest and slide, if any do."""
    resting, sliding = info["asleep"], info["sliding"]
    if not (resting or sliding):
        return ""
    words = f"{resting} of {balls} ball{'s' * (balls != 1)} rest{'s' * (balls == 1)}"
    if sliding:
        words += f", {sliding} slide{'s' * (sliding == 1)}"
    return f"{'at the end':<16} {words}\n"


def _comes_to_rest(scene: Scene) -> bool:
    """Whether balls fall, or are in a trap, and nothing gives them the energy back that impacts
    take: such a heap is no gas, and its averages depend on how long the run was."""
    return scene.is_accelerated and not scene.is_driven


def _print_gas(info: dict[str, Any]) -> None:
    if info["collision_rate"] is None:
        return
    print(
        f"measured over {info['measured_impacts']} impacts of two balls, from "
        f"t = {info['measured_from']:.6g} on; the time before is left out as settling"
    )
    for name, unit in _GAS.items():
        value, error = info.get(name), info.get(f"{name}_error")
        if value is None:
            continue
        uncertainty = "" if error is None else f" ± {error:.2g}"
        published = info.get(f"{name}_published")
        beside = "" if published is None else f", published {published:.6g}"
        words = name.replace("_", " ")
        print(f"{words:<24} {value:.6g}{uncertainty}{' ' * bool(unit)}{unit}{beside}")
