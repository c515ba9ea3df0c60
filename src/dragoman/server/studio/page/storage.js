// What is remembered in this browser: choices, never texts.

const BEGIN = "dragoman-";

export function load(name, otherwise = null) {
  try {
    return JSON.parse(localStorage.getItem(BEGIN + name)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function save(name, value) {
  try {
    localStorage.setItem(BEGIN + name, JSON.stringify(value));
  } catch {
    // A browser that keeps nothing is asked again next time.
  }
}
