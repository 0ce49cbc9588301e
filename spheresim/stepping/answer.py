"""Answering one impact: move to it, change the velocities, write it down.

Inelastic collapse: infinitely many impacts in finite time. The step must end all the
same, so an impact is answered differently, and counted, where a ball has

- gone less than RAPID_PATH of its radius between each of its last RAPID impacts (and so has
  its partner) and is not elastic: then it is (S. Luding and S. McNamara, How to handle the
  inelastic collapse of a dissipative hard-sphere gas with the TC model, Granular Matter 1,
  1998, whose measure is a time; a length does not depend on the step); in a tube, which
  bends towards a ball that slides along it, it is also turned inwards to at least the angle
  GLIDE, at the same speed;
- not moved at all between its last STUCK impacts (nor has its partner): it is jammed, and
  loses its approach, in a tube all that is not along the axis; after as many again, all
  motion against what it is jammed with; and after as many once more it stands still until
  the next step. So does, without a jam, a ball whose last ENDLESS impacts were rapid.
"""

from spheresim.compiled import inlined, routine
from spheresim.impacts import BALL, OBSTACLE
from spheresim.response import exchange, glide, loss, merge, reflect
from spheresim.rows import put, vector_at
from spheresim.shapes.obstacles import cylinder_at, is_tube, normal_at
from spheresim.state import World
from spheresim.stepping.flight import (
    BALL_IMPACTS,
    COLLAPSE_ANSWERS,
    DEEPEST_OVERLAP,
    DISSIPATED,
    OBSTACLE_IMPACTS,
    RECORDED,
    STEP,
    Flight,
    position_at,
    size,
)
from spheresim.stepping.predict import ROUNDING
from spheresim.vector import TVector

RAPID_PATH = 1e-4
RAPID = 16
STUCK = 10_000
ENDLESS = 200_000
GLIDE = 1e-4


@routine
def answer_balls(world: World, flight: Flight, a: int, b: int, time: float) -> None:
    """The impact of balls a < b at a time in the step."""
    _move_to(world, flight, a, time)
    _move_to(world, flight, b, time)
    x_a, x_b = vector_at(flight.position, a), vector_at(flight.position, b)
    v_a, v_b = vector_at(flight.velocity, a), vector_at(flight.velocity, b)
    d = x_a - x_b
    overlap = world.radius[a] + world.radius[b] - d.mag()
    flight.measure[DEEPEST_OVERLAP] = max(flight.measure[DEEPEST_OVERLAP], overlap)
    normal = d.unit()
    vn = (v_a - v_b).dot(normal)
    if vn >= 0.0:
        return  # a graze, by rounding
    restitution = min(world.restitution[a], world.restitution[b])
    rapid = min(flight.ball[a].rapid, flight.ball[b].rapid)
    stuck = min(flight.ball[a].stuck, flight.ball[b].stuck)
    restitution = _unless_collapsing(flight, rapid, stuck, restitution)
    after = exchange(v_a, v_b, world.mass[a], world.mass[b], normal, restitution)
    if stuck > 2 * STUCK:
        after = merge(v_a, v_b, world.mass[a], world.mass[b], normal)
    put(flight.velocity, a, after.velocity_i * _moves_on(flight, a))
    put(flight.velocity, b, after.velocity_j * _moves_on(flight, b))
    flight.measure[DISSIPATED] += loss(after.impulse, vn, after.vn_after)
    point = x_b + normal * world.radius[b]
    flight.count[BALL_IMPACTS] += 1
    _write_down(flight, BALL, a, b, time, point, normal, vn, after.vn_after, after.impulse)


@routine
def answer_obstacle(world: World, flight: Flight, i: int, k: int, time: float) -> None:
    """The impact of ball i on obstacle k at a time in the step."""
    _move_to(world, flight, i, time)
    x, v = vector_at(flight.position, i), vector_at(flight.velocity, i)
    normal = normal_at(world.obstacles, k, x)
    vn = v.dot(normal)
    rapid, stuck = flight.ball[i].rapid, flight.ball[i].stuck
    slides = rapid > RAPID and is_tube(world.obstacles, k, x)
    if vn >= 0.0 and not slides:
        return  # a graze, by rounding
    restitution = min(world.restitution[i], world.obstacles.restitution[k])
    restitution = _unless_collapsing(flight, rapid, stuck, restitution)
    after = reflect(v, normal, restitution) if vn < 0.0 else v
    if slides:
        axis = cylinder_at(world.obstacles, k).axis
        turned = glide(after, normal, axis, GLIDE)
        flight.count[COLLAPSE_ANSWERS] += turned != after
        after = axis * v.dot(axis) if stuck > STUCK else turned
    if stuck > 2 * STUCK:
        after = v * 0.0
    put(flight.velocity, i, after * _moves_on(flight, i))
    vn_after = after.dot(normal)
    point = x - normal * world.radius[i]
    flight.count[OBSTACLE_IMPACTS] += 1
    impulse = world.mass[i] * (vn_after - vn)
    flight.measure[DISSIPATED] += loss(impulse, vn, vn_after)
    _write_down(flight, OBSTACLE, i, k, time, point, normal, vn, vn_after, impulse)


@inlined
def _move_to(world: World, flight: Flight, i: int, time: float) -> None:
    """Move ball i to its impact, and keep count of impacts without any way between them."""
    x = position_at(flight, i, time)
    path = vector_at(flight.velocity, i).mag() * (time - flight.ball[i].clock)
    radius = world.radius[i]
    flight.ball[i].rapid = flight.ball[i].rapid + 1 if path < RAPID_PATH * radius else 0
    flight.ball[i].stuck = flight.ball[i].stuck + 1 if path <= ROUNDING * (size(x) + radius) else 0
    put(flight.position, i, x)
    flight.ball[i].clock = time
    flight.ball[i].stamp += 1


@inlined
def _moves_on(flight: Flight, i: int) -> float:
    """1, or 0 for a ball that would be answered without end in this step."""
    ball = flight.ball[i]
    return 0.0 if ball.stuck > 3 * STUCK or ball.rapid > ENDLESS else 1.0


@inlined
def _unless_collapsing(flight: Flight, rapid: int, stuck: int, restitution: float) -> float:
    """The restitution of an impact, or what ends a collapse."""
    if stuck > STUCK:
        flight.count[COLLAPSE_ANSWERS] += 1
        return 0.0
    if restitution < 1.0 and rapid > RAPID:
        flight.count[COLLAPSE_ANSWERS] += 1
        return 1.0
    return restitution


@inlined
def _write_down(
    flight: Flight,
    kind: int,
    i: int,
    other: int,
    time: float,
    point: TVector,
    normal: TVector,
    vn: float,
    vn_after: float,
    impulse: float,
) -> None:
    row = flight.count[RECORDED]
    flight.count[RECORDED] += 1
    names, numbers = flight.names, flight.numbers
    names[row, 0], names[row, 1], names[row, 2], names[row, 3] = flight.count[STEP], kind, i, other
    numbers[row, 0] = time
    numbers[row, 1], numbers[row, 2], numbers[row, 3] = point.x, point.y, point.z
    numbers[row, 4], numbers[row, 5], numbers[row, 6] = normal.x, normal.y, normal.z
    numbers[row, 7], numbers[row, 8], numbers[row, 9] = vn, vn_after, impulse
