"""The columns of the snapshots of a gas's sums, which an engine takes and `analysis.gas` reads."""

# Time; impacts of two balls, and of a ball and an obstacle, so far; the virial so far; the kinetic
# energy and the sum of all speeds then.
TIME, BALLS_SO_FAR, OBSTACLES_SO_FAR, VIRIAL_SO_FAR, KINETIC, SPEEDS = range(6)
SNAPSHOT_COLUMNS = 6
