// Plotly, fetched from this server when something is first drawn.

let coming = null;

/** Load the bundle once. */
export function plotly() {
  coming ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = "/studio/plotly.min.js";
    script.addEventListener("load", () => resolve(globalThis.Plotly));
    script.addEventListener("error", () => {
      coming = null;
      script.remove();
      reject(new Error("The plotting library could not be loaded."));
    });
    document.head.append(script);
  });
  return coming;
}

/** The colours of the page, for a plot. */
export function colours() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: of("ink"),
    soft: of("soft"),
    faint: of("faint"),
    line: of("line"),
    sheet: of("sheet"),
    accent: of("accent"),
    warm: of("surprise"),
    font: getComputedStyle(document.body).fontFamily,
  };
}

const MANY = 5; // ticks of an axis, about
const DECADES = 3; // of a log axis that also has ticks at 2 and 5

/**
 * Place ticks in a range and one beyond each end, each with words of its own, however narrow it is.
 * @returns {{tickmode: string, tickvals: number[], ticktext: string[]}} a part of a Plotly axis
 */
export function ticks(low, high, { log = false, whole = false } = {}) {
  const found = log && high / low >= 10 ? decades(low, high) : even(low, high, whole);
  const drawable = found.filter(([value]) => !log || value > 0);
  const chosen = drawable.length ? drawable : [tick(whole ? Math.round(low) : low)];
  return {
    tickmode: "array",
    tickvals: chosen.map(([value]) => value),
    ticktext: chosen.map(([, words]) => words),
  };
}
const exactly = (digits) => ({ minimumFractionDigits: digits, maximumFractionDigits: digits });
const tick = (value, format = { maximumSignificantDigits: 8 }) => [value, value.toLocaleString("en", format)];

/** Multiples of 1, 2 or 5 times a power of ten. */
function even(low, high, whole) {
  if (low === high) return [];
  const least = whole ? Math.max(1, (high - low) / MANY) : (high - low) / MANY;
  const near = Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((one) => Number(`${one}e${near}`)).find((one) => one >= least);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const found = [];
  for (let n = Math.floor(low / step); n <= Math.ceil(high / step); n += 1)
    found.push(tick(Number((n * step).toFixed(digits)), exactly(digits)));
  return found;
}
function decades(low, high) {
  const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
  const powers = Array.from({ length: last - first + 1 }, (_, number) => first + number);
  const each = high / low > 10 ** DECADES ? [1] : [1, 2, 5];
  return powers.flatMap((power) => each.map((one) => tick(Number(`${one}e${power}`))));
}

/** A layout as quiet as the page, for data between `x` and `y`, each a least and a most. */
export function layout({ x, y, log = false }) {
  const { soft, line, sheet, font, ink } = colours();
  const axis = {
    gridcolor: line,
    zeroline: false,
    linecolor: line,
    tickcolor: line,
    tickfont: { color: soft, size: 11.5 },
    automargin: true,
    fixedrange: true,
  };
  return {
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: font, size: 12, color: soft },
    margin: { l: 44, r: 12, t: 6, b: 34 },
    height: 260,
    showlegend: false,
    hovermode: "x unified",
    hoverlabel: { bgcolor: sheet, bordercolor: line, font: { color: ink, size: 12, family: font } },
    xaxis: {
      ...axis,
      showgrid: false,
      ...ticks(...x, { whole: true }),
      title: { text: "step", font: { size: 11.5, color: soft }, standoff: 6 },
    },
    yaxis: { ...axis, type: log ? "log" : "linear", ...ticks(...y, { log }) },
  };
}

export const CONFIG = { displayModeBar: false, responsive: true };
