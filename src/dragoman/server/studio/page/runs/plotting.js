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

/** A layout as quiet as the page. */
export function layout({ log = false, unit = "" } = {}) {
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
      tickformat: ",d",
      title: { text: "step", font: { size: 11.5, color: soft }, standoff: 6 },
    },
    yaxis: { ...axis, type: log ? "log" : "linear", nticks: 6, ticksuffix: unit, ...(log && { dtick: 1 }) },
  };
}

export const CONFIG = { displayModeBar: false, responsive: true };
