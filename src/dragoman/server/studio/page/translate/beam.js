// The beam: every hypothesis that was kept at a step, and the best path.
import { post } from "../api.js";
import { make } from "../dom.js";
import { choices } from "../components.js";
import { beamTree } from "./beam_tree.js";

const NOTE =
  "Each column is a decoding step, with the likeliest hypothesis on top; numbers are token probabilities. " +
  "Bold: best path. Faint: pruned.";
const CHANGED = "The translation above is what was made of the best path afterwards, or another search's.";
const SIZES = [1, 2, 3, 4, 5, 6, 8];
const USUAL = 5;
const state = { beam: null }; // null: as the run searches by itself

export async function beamPanel({ column, sentence, again }) {
  const size = state.beam ?? Math.min(column.run.beam ?? USUAL, SIZES.at(-1));
  const body = {
    run: column.run.name,
    source: sentence.source,
    beam: size,
    ...(column.to && { to: column.to }),
  };
  const answer = await post("/studio/api/beam", body);
  if (!answer.nodes?.length)
    return make("p", { class: "faint", text: answer.why ?? "There is no beam to show." });
  const nodes = prepared(answer.nodes);
  const told = make("p", { class: "readout", "aria-live": "polite" });
  const tell = (node) =>
    told.replaceChildren(
      make("span", { class: "faint", text: `Step ${node.step} · ` }),
      make("bdi", { dir: "auto", lang: column.to || null, text: node.text || "…" }),
      make("span", {
        class: "number",
        text: `token ${probability(node)}, cumulative ${Math.exp(node.total).toPrecision(2)}`,
      }),
      make("span", {
        class: "faint",
        text:
          { best: "best path", ended: "finished", dropped: "pruned", alive: "kept" }[node.state] ?? "",
      }),
    );
  const best = nodes.findLast((node) => node.state === "best") ?? nodes[0];
  tell(best);
  return make(
    "div",
    { class: "beam-panel" },
    make(
      "div",
      { class: "row wide" },
      choices(
        "Beam size",
        SIZES.map((each) => [each, each]),
        size,
        (each) => {
          state.beam = each;
          again();
        },
      ),
    ),
    beamTree(nodes, { tell, language: column.to }),
    told,
    make("p", { class: "faint small", text: best.text === sentence.text ? NOTE : `${NOTE} ${CHANGED}` }),
    asList(nodes, column.to),
  );
}

const probability = (node) => (node.probability < 0.0005 ? "< 0.001" : node.probability.toFixed(3));

/** Give each node its children, its probability and its rank among those of its step. */
function prepared(given) {
  const nodes = given.map((node) => ({ ...node, children: [], label: labelOf(node) }));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  for (const node of nodes) {
    node.above = byId.get(node.parent) ?? null;
    node.above?.children.push(node);
    node.probability = Math.exp(node.total - (node.above?.total ?? 0));
  }
  const steps = Map.groupBy ? Map.groupBy(nodes, (node) => node.step) : grouped(nodes);
  for (const each of steps.values()) {
    each
      .sort((one, other) => other.total - one.total)
      .forEach((node, rank) => {
        node.rank = rank;
      });
  }
  return nodes;
}
function grouped(nodes) {
  const steps = new Map();
  for (const node of nodes) steps.set(node.step, [...(steps.get(node.step) ?? []), node]);
  return steps;
}
function labelOf(node) {
  if (node.state === "start") return "start";
  if (node.token === "</s>") return "end";
  return node.token.replaceAll("▁", "") || "␣";
}

/** The same as nested lists, for those who listen. */
function asList(nodes, language) {
  const item = (node) =>
    make(
      "li",
      {},
      make("bdi", { dir: "auto", lang: language || null, text: node.label }),
      ` ${probability(node)}${{ best: ", best path", ended: ", finished", dropped: ", pruned" }[node.state] ?? ""}`,
      node.children.length > 0 && make("ul", {}, node.children.map(item)),
    );
  return make(
    "details",
    { class: "fold beam-list" },
    make("summary", { class: "small", text: "The beam as a list" }),
    make("ul", {}, item(nodes.find((node) => node.above === null))),
  );
}
