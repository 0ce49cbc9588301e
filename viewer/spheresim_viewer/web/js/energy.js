// Energies of all balls over the whole run, for the plots.

/** @typedef {import("./motion.js").Motion} Motion */

const MOMENTS = 240;

/** @param {Motion} motion @param {Float64Array} position @param {Float64Array} velocity @param {number[]} gravity */
export function energiesOf(motion, position, velocity, gravity) {
  const masses = motion.arrays["ball.mass"];
  let kinetic = 0;
  let potential = 0;
  for (let ball = 0; ball < motion.n; ball++)
    for (let k = 0; k < 3; k++) {
      kinetic += 0.5 * masses[ball] * velocity[3 * ball + k] ** 2;
      potential -= masses[ball] * gravity[k] * position[3 * ball + k];
    }
  return { kinetic, potential };
}

/** Times and energies, evenly spaced over a run. @param {Motion} motion @param {number[]} gravity */
export function energyCurves(motion, gravity) {
  const position = new Float64Array(3 * motion.n);
  const velocity = new Float64Array(3 * motion.n);
  const times = Float64Array.from({ length: MOMENTS + 1 }, (_, k) => (motion.duration * k) / MOMENTS);
  const kinetic = new Float64Array(times.length);
  const potential = new Float64Array(times.length);
  times.forEach((time, k) => {
    motion.at(time, position, velocity);
    const energies = energiesOf(motion, position, velocity, gravity);
    kinetic[k] = energies.kinetic;
    potential[k] = energies.potential;
  });
  return { times, kinetic, potential };
}
