// Elements without a framework. Data only ever becomes text, never markup.

const SVG = "http://www.w3.org/2000/svg";

/**
 * Make an element. `class`, `text`, `dataset`, `style` and `on` are special; a property that is
 * true stands without a value, one that is false, null or undefined is left out.
 * @param {string} tag
 * @param {Object<string, any>} [given]
 * @param {...(Node|string|null|false|undefined|Array)} children
 * @returns {HTMLElement}
 */
export function make(tag, given = {}, ...children) {
  return filled(document.createElement(tag), given, children);
}

/** Make an SVG element, in the same way. */
export function draw(tag, given = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), given, children);
}

function filled(element, given, children) {
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "class") element.setAttribute("class", value);
    else if (name === "text") element.textContent = value;
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (name === "style") {
      for (const [key, to] of Object.entries(value)) element.style.setProperty(key, to);
    } else if (name === "on") {
      for (const [event, act] of Object.entries(value)) element.addEventListener(event, act);
    } else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(
    ...children.flat().filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/** User text: set in its own direction and language (bidirectional isolation). */
export function bidi(text, { tag = "bdi", lang = "", rtl = false, ...given } = {}) {
  return make(tag, { dir: rtl ? "rtl" : "auto", lang: lang || null, ...given, text });
}

let counter = 0;
/** Return an id that nothing else on the page has. */
export const unique = (begin = "id") => `${begin}-${++counter}`;

/** Say something to those who listen instead of looking. */
export function announce(words) {
  const live = document.getElementById("live");
  if (live && live.textContent !== words) live.textContent = words;
}

/** Debounce: put off a call until there has been quiet for some time. */
export function debounce(act, milliseconds) {
  let timer = 0;
  const call = (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...given), milliseconds);
  };
  call.cancel = () => clearTimeout(timer);
  return call;
}
