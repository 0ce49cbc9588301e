"""The columns of the snapshots of a gas's sums, which an engine takes and `analysis.gas` reads."""

# Time; impacts of two balls, and of a ball and an obstacle, so far; the virial so far; the kinetic
# energy and the sum of all speeds then, both beside the flow of a sheared box, and where there is
# nothing but balls beside their motion as a whole; the first of six columns of the stress so far,
# times volume and time, in the order of STRESS_COMPONENTS: only in a sheared box, elsewhere 0.
TIME, BALLS_SO_FAR, OBSTACLES_SO_FAR, VIRIAL_SO_FAR, KINETIC, SPEEDS, STRESS_SO_FAR = range(7)
STRESS_COMPONENTS = ("xx", "yy", "zz", "xy", "xz", "yz")
SNAPSHOT_COLUMNS = STRESS_SO_FAR + len(STRESS_COMPONENTS)
