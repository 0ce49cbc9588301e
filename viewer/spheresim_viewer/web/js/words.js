// Numbers and rows of numbers as text. What comes from a scene is only ever set as text.

/** A number with some digits. @param {number} value @param {number} [digits] */
export function number(value, digits = 6) {
  if (!Number.isFinite(value)) return String(value);
  const text = String(Number(value.toPrecision(digits)));
  return text.replace("-", "\u2212");
}

/** A whole number with its digits in groups of three. @param {number} value */
export const whole = (value) => String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, "\u202f");

/**
 * What is rounding, compared with a size, is shown as 0.
 * @param {number[]} vector @param {number} [digits] @param {number} [size] by default the largest component
 */
export function vectorWords(vector, digits = 5, size = Math.max(...vector.map(Math.abs))) {
  return vector.map((x) => number(Math.abs(x) < 1e-9 * size ? 0 : x, digits)).join(", ");
}

/** Replace the rows of a description list. @param {HTMLElement} list @param {[string, string][]} rows */
export function setRows(list, rows) {
  while (list.children.length > 2 * rows.length) list.lastElementChild?.remove();
  rows.forEach(([name, value], k) => {
    if (list.children.length <= 2 * k)
      list.append(document.createElement("dt"), document.createElement("dd"));
    setText(list.children[2 * k], name);
    setText(list.children[2 * k + 1], value);
  });
}

/** @param {Element} element @param {string} text */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * The element with an id.
 * @template {HTMLElement} T
 * @param {string} id @returns {T}
 */
export const byId = (id) => /** @type {T} */ (document.getElementById(id));
