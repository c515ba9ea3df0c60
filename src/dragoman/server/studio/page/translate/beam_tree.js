// The tree of a beam, drawn: steps from left to right, the likeliest of each step on top.
import { draw, make } from "../dom.js";
import { settle } from "../roving.js";

const ROW = 46,
  TALL = 34,
  GAP = 34,
  PAD = 10,
  LEAST = 46;

/**
 * Draw nodes with `step`, `rank`, `label`, `probability`, `state` and `above`.
 * @param {object[]} nodes
 * @param {{tell: (node: object) => void, language: string}} given
 */
export function beamTree(nodes, { tell, language }) {
  const columns = widths(nodes);
  const high = PAD * 2 + ROW * (Math.max(...nodes.map((node) => node.rank)) + 1) - (ROW - TALL);
  const wide = columns.at(-1).x + columns.at(-1).width + PAD;
  const place = (node) => ({
    x: columns[node.step].x,
    y: PAD + node.rank * ROW,
    width: columns[node.step].width,
  });
  const order = [...nodes].sort((one, other) => weight(one) - weight(other));
  const edges = order.filter((node) => node.above).map((node) => edge(place(node.above), place(node), node));
  const marks = new Map();
  for (const node of order) marks.set(node, box(node, place(node), language));
  const all = nodes.map((node) => marks.get(node));
  const svg = draw(
    "svg",
    {
      class: "beam",
      width: wide,
      height: high,
      viewBox: `0 0 ${wide} ${high}`,
      role: "group",
      "aria-label": "Beam search tree. Arrow keys move from token to token.",
    },
    draw("g", { class: "edges" }, edges),
    draw("g", {}, order.map((node) => marks.get(node))),
  );

  const chosen = (node) => {
    svg.querySelector(".chosen")?.classList.remove("chosen");
    marks.get(node).classList.add("chosen");
    settle(all, marks.get(node));
    tell(node);
  };
  for (const [node, mark] of marks) {
    for (const event of ["pointerenter", "focus", "click"]) mark.addEventListener(event, () => chosen(node));
  }
  svg.addEventListener("keydown", (event) => {
    const node = [...marks].find(([, mark]) => mark === event.target)?.[0];
    const to = node && next(nodes, node, event.key);
    if (!to) return;
    event.preventDefault();
    marks.get(to).focus();
    marks.get(to).scrollIntoView({ block: "nearest", inline: "nearest" });
  });
  settle(all);
  return make("div", { class: "beam-scroll" }, svg);
}

const probability = (share) => (share < 0.0005 ? "<.001" : share.toFixed(share < 0.0995 ? 3 : 2));
const weight = (node) =>
  node.state === "best" || node.state === "start" ? 2 : node.state === "dropped" ? 0 : 1;

function next(nodes, node, key) {
  const at = (step, rank) => nodes.find((one) => one.step === step && one.rank === rank);
  switch (key) {
    case "ArrowLeft":
      return node.above;
    case "ArrowRight":
      return node.children.find((one) => one.state === "best") ?? node.children[0];
    case "ArrowUp":
      return at(node.step, node.rank - 1);
    case "ArrowDown":
      return at(node.step, node.rank + 1);
    default:
      return null;
  }
}

/** Each step is as wide as its longest token needs. */
function widths(nodes) {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `500 13px ${getComputedStyle(document.body).fontFamily}`;
  const columns = [];
  let x = PAD;
  const last = Math.max(...nodes.map((node) => node.step));
  for (let step = 0; step <= last; step += 1) {
    const own = nodes.filter((node) => node.step === step).map((node) => pen.measureText(node.label).width);
    const width = Math.max(LEAST, Math.min(160, Math.ceil(Math.max(0, ...own)) + 18));
    columns.push({ x, width });
    x += width + GAP;
  }
  return columns;
}

function edge(from, to, node) {
  const x1 = from.x + from.width,
    y1 = from.y + TALL / 2,
    x2 = to.x,
    y2 = to.y + TALL / 2,
    bend = (x2 - x1) / 2;
  return draw("path", {
    class: node.state,
    d: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`,
    style: { "--width": `${(1 + 2 * Math.sqrt(node.probability)).toFixed(2)}px` },
  });
}

function box(node, { x, y, width }, language) {
  const state = { best: ", best path", ended: ", finished", dropped: ", pruned" }[node.state] ?? "";
  return draw(
    "g",
    {
      class: `node ${node.state}`,
      transform: `translate(${x} ${y})`,
      tabindex: "-1",
      role: "button",
      "aria-label": `${node.label}, probability ${node.probability.toFixed(3)}${state}`,
    },
    draw("rect", { width, height: TALL, rx: 7 }),
    draw("text", {
      x: width / 2,
      y: node.state === "start" ? 22 : 15,
      class: "token",
      lang: language || null,
      text: node.label,
    }),
    node.state !== "start" &&
      draw("text", { x: width / 2, y: 28, class: "probability", text: probability(node.probability) }),
  );
}
