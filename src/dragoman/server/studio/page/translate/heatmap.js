// The attention of a sentence as a heat map, by words or by subwords.
import { make } from "../dom.js";
import { choices } from "../components.js";
import { settle } from "../roving.js";
import { mergedToWords, layerOf, mapOf, attentionOf, strength, weightsOf } from "./attention.js";

const KINDS = {
  across: ["Cross-attention", "Rows: target tokens (queries). Columns: source tokens (keys)."],
  source: ["Encoder self-attention", "Rows: source tokens (queries). Columns: source tokens (keys)."],
  target: ["Decoder self-attention", "Rows: target tokens (queries). Columns: earlier target tokens (keys)."],
  row: ["Self-attention", "Source and target form one sequence. Rows: queries. Columns: keys."],
};
const SPECIAL = { "<s>": "start", "</s>": "end" };
const state = { kind: "across", words: true };

export async function heatMap({ column, sentence, choice, chose, again }) {
  const question = {
    run: column.run.name,
    source: sentence.source,
    target: sentence.text,
    ...(column.to && { to: column.to }),
  };
  const answer = await attentionOf(question);
  if (!answer.maps.length) {
    return make("p", { class: "faint", text: answer.why ?? "This network has no attention to show." });
  }
  const map = mapOf(answer, state.kind) ?? answer.maps[0];
  const pick = (change) => {
    Object.assign(choice, change);
    chose();
    again();
  };
  const layer = layerOf(map, choice.layer),
    heads = map.layers[layer].length;
  const head = choice.head <= heads ? choice.head : 0;
  const controls = make(
    "div",
    { class: "row wide" },
    answer.maps.length > 1 &&
      choices(
        "Attention type",
        answer.maps.map((one) => [one.kind, KINDS[one.kind][0]]),
        map.kind,
        (kind) => {
          state.kind = kind;
          again();
        },
      ),
    map.layers.length > 1 &&
      choices("Layer", map.layers.map((_, at) => [at, at + 1]), layer, (at) => pick({ layer: at })),
    heads > 1 &&
      choices("Head", [[0, "Mean"], ...map.layers[layer].map((_, at) => [at + 1, at + 1])], head, (at) =>
        pick({ head: at }),
      ),
    choices(
      "Token level",
      [["words", "Words"], ["subwords", "Subwords"]],
      state.words ? "words" : "subwords",
      (level) => {
        state.words = level === "words";
        again();
      },
    ),
  );
  let table = weightsOf(answer, map, { layer, head });
  if (state.words) table = mergedToWords(table, map.rows.words, map.columns.words);
  return make(
    "div",
    { class: "map-panel" },
    controls,
    grid(table, labels(map.rows), labels(map.columns)),
    make("p", { class: "faint small", text: KINDS[map.kind][1] }),
  );
}

function labels(axis) {
  const marks = new Set(state.words ? axis.marks.map((at) => axis.words[at]) : axis.marks);
  return (state.words ? axis.spelled : axis.pieces).map((text, at) => ({
    text: marks.has(at) ? (SPECIAL[text] ?? text) : text.replaceAll("▁", "") || "␣",
    mark: marks.has(at),
  }));
}

function grid(table, rows, columns) {
  const told = make("p", { class: "readout", "aria-live": "polite" });
  const cells = [];
  const heading = (label, scope) =>
    make(
      "th",
      { scope },
      make("span", {
        class: label.mark ? "axis mark" : "axis",
        dir: "auto",
        title: label.text,
        text: label.text,
      }),
    );
  const body = make(
    "tbody",
    {},
    table.map((line, r) =>
      make(
        "tr",
        {},
        heading(rows[r], "row"),
        line.map((weight, c) => {
          const cell = make("td", {
            tabindex: "-1",
            role: "gridcell",
            "aria-label": `${rows[r].text}, ${columns[c].text}: ${weight.toFixed(2)}`,
            style: { "--w": strength(weight).toFixed(3) },
            dataset: { row: r, column: c },
          });
          cells.push(cell);
          return cell;
        }),
      ),
    ),
  );
  const at = (r, c) =>
    cells[
      Math.min(Math.max(r, 0), rows.length - 1) * columns.length +
        Math.min(Math.max(c, 0), columns.length - 1)
    ];
  const point = ({ target }) => {
    const cell = target.closest("td");
    if (!cell) return;
    const { row, column } = cell.dataset;
    body.querySelector(".chosen")?.classList.remove("chosen");
    cell.classList.add("chosen");
    settle(cells, cell);
    told.replaceChildren(
      make("bdi", { dir: "auto", text: rows[row].text }),
      " attends to ",
      make("bdi", { dir: "auto", text: columns[column].text }),
      make("span", { class: "number", text: table[row][column].toFixed(2) }),
    );
  };
  for (const event of ["pointerover", "focusin", "click"]) body.addEventListener(event, point);
  body.addEventListener("keydown", (event) => {
    const cell = event.target.closest("td");
    const r = Number(cell?.dataset.row),
      c = Number(cell?.dataset.column);
    const to = {
      ArrowUp: [r - 1, c],
      ArrowDown: [r + 1, c],
      ArrowLeft: [r, c - 1],
      ArrowRight: [r, c + 1],
      Home: [r, 0],
      End: [r, Infinity],
    }[event.key];
    if (!cell || !to) return;
    event.preventDefault();
    at(...to).focus();
  });
  settle(cells);
  return make(
    "div",
    {},
    make(
      "div",
      { class: "map-scroll" },
      make(
        "table",
        { class: "heat", role: "grid", "aria-label": "Attention weights" },
        make(
          "thead",
          {},
          make("tr", {}, make("td", { class: "corner" }), columns.map((label) => heading(label, "col"))),
        ),
        body,
      ),
    ),
    told,
  );
}
