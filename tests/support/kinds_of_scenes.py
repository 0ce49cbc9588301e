"""A small scene of each kind of world that a run has files of its own kind for."""

TRAP = """
duration = 2
frame_every = 0.5
gravity = [0, -1, 0]
[trap]
frequency = 2
centre = [0, 0.5, 0]
[[ball]]
position = [1, 0, 0]
velocity = [0, 0.5, 0]
radius = 0.1
[[ball]]
position = [-1, 0.05, 0]
velocity = [0, 0.5, 0.1]
radius = 0.2
mass = 2
"""
ACCELERATIONS = """
duration = 2
frame_every = 0.5
gravity = [0, -1, 0]
[[plane]]
point = [0, -1, 0]
normal = [0, 1, 0]
[[ball]]
position = [1, 0, 0]
velocity = [0, 0.5, 0]
acceleration = [-2, 0, 0]
radius = 0.1
[[ball]]
position = [-1, 0.05, 0]
velocity = [0, 0.5, 0.1]
acceleration = [2, 0, 0]
radius = 0.2
mass = 2
"""
WALLS = """
duration = 4
step = 0.02
frame_every = 0.5
gravity = [0, -2, 0]
restitution = 0.9
[[plane]]
name = "floor"
point = [0, 0, 0]
normal = [0, 1, 0]
motion = { kind = "oscillation", amplitude = 0.1, frequency = 1, axis = [0, 1, 0] }
[[plane]]
name = "lid"
point = [0, 2, 0]
normal = [0, -1, 0]
thermal = { temperature = 3, seed = 1 }
[[plane]]
name = "left"
point = [-1, 0, 0]
normal = [1, 0, 0]
motion = { kind = "piston", mass = 2, force = 4 }
[[plane]]
name = "right"
point = [1, 0, 0]
normal = [-1, 0, 0]
[[ball]]
position = [-0.5, 1, 0]
velocity = [1, 2, 0]
radius = 0.1
[[ball]]
position = [0.5, 1.5, 0.1]
velocity = [-1, 3, 0]
radius = 0.2
"""
ROUGH = """
duration = 3
frame_every = 0.25
tangential_restitution = 0.5
[[material]]
name = "glass"
restitution = 0.9
tangential_restitution = 0.8
friction = 0.2
[[plane]]
name = "floor"
point = [0, 0, 0]
normal = [0, 1, 0]
material = "glass"
[[plane]]
name = "lid"
point = [0, 4, 0]
normal = [0, -1, 0]
[[ball]]
position = [0, 2, 0]
velocity = [3, -4, 0]
radius = 0.5
angular_velocity = [1, 2, 10]
[[ball]]
position = [2, 1, 0.2]
velocity = [0, 2, 0]
radius = 0.4
mass = 2
material = "glass"
inertia_factor = 0.6
"""
BATH = """
duration = 3
frame_every = 0.5
[thermostat]
temperature = 2
rate = 1.5
seed = 3
[[cuboid]]
center = [5, 5, 5]
size = [10, 10, 10]
[[fill]]
count = 40
radius = 0.5
region = { low = [0, 0, 0], high = [10, 10, 10] }
temperature = 1
seed = 1
"""
SHEARED = """
duration = 4
frame_every = 0.25
restitution = 0.9
[box]
low = [-4, -5, -4]
size = [9, 10, 8]
shear_rate = 0.3
[[fill]]
count = 100
radius = [0.4, 0.6]
temperature = 1
seed = 1
"""
SCENES = {
    "trap": TRAP,
    "accelerations": ACCELERATIONS,
    "walls": WALLS,
    "rough": ROUGH,
    "bath": BATH,
    "sheared": SHEARED,
}
RARE = {"trap", "accelerations"}
"""Those whose kernels `make test` does not compile."""
