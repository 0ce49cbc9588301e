// Energies of all balls over the whole run, for the plots.

/** @typedef {import("./motion.js").Motion} Motion */

const MOMENTS = 240;

/** @typedef {import("./data.js").Header} Header */

/** @param {Motion} motion @param {Float64Array} position @param {Float64Array} velocity @param {Header["trap"]} trap */
export function energiesOf(motion, position, velocity, trap) {
  const masses = motion.arrays["ball.mass"];
  let kinetic = 0;
  let potential = 0;
  for (let ball = 0; ball < motion.n; ball++)
    for (let k = 0; k < 3; k++) {
      kinetic += 0.5 * masses[ball] * velocity[3 * ball + k] ** 2;
      potential -= masses[ball] * motion.clock.pull(ball, k) * position[3 * ball + k];
      if (trap) potential += 0.5 * masses[ball] * (trap.frequency * (position[3 * ball + k] - trap.centre[k])) ** 2;
    }
  return { kinetic, potential };
}

/** Times and energies, evenly spaced over a run. @param {Motion} motion @param {Header["trap"]} trap */
export function energyCurves(motion, trap) {
  const position = new Float64Array(3 * motion.n);
  const velocity = new Float64Array(3 * motion.n);
  const times = Float64Array.from({ length: MOMENTS + 1 }, (_, k) => (motion.duration * k) / MOMENTS);
  const kinetic = new Float64Array(times.length);
  const potential = new Float64Array(times.length);
  times.forEach((time, k) => {
    motion.at(time, position, velocity);
    const energies = energiesOf(motion, position, velocity, trap);
    kinetic[k] = energies.kinetic;
    potential[k] = energies.potential;
  });
  return { times, kinetic, potential };
}
