// Lab: the course with its claims, and experiments on them, with a verdict on each.
import { get } from "../api.js";
import { make, bidi } from "../dom.js";
import { markdown } from "../markdown.js";
import { ago } from "../numbers.js";
import { chip, empty, loading, pageHead, problem } from "../components.js";
import { courseIndex, coursePage, coursePlace } from "./course.js";

const LOOKS = {
  confirmed: "good",
  corrected: "warn",
  refuted: "bad",
  "a convention": "accent",
  convention: "accent",
  undecided: "",
};
const ORDER = Object.keys(LOOKS);

export function show(holder, { under, title }) {
  const stopped = new AbortController();
  const { signal } = stopped;
  const page = coursePlace(under);
  if (page) part(holder, (body) => coursePage(body, page, title, signal));
  else if (under) part(holder, (body) => experiment(holder, body, under, title, signal));
  else {
    holder.append(pageHead("Lab", "The claims of a course on sequence models, and experiments on them."));
    part(holder, async (body) => body.replaceChildren(await courseIndex(signal)));
    const block = make("section", { class: "block" }, make("h2", { text: "Experiments" }));
    holder.append(block);
    part(block, (body) => experiments(body, signal));
  }
  return () => stopped.abort();
}

/** Add a part that fills itself, or says why it cannot. */
function part(holder, act) {
  const body = make("div", {}, loading());
  const fill = async () => {
    try {
      await act(body);
    } catch (failure) {
      if (failure.kind !== "stale") body.replaceChildren(problem(failure, fill));
    }
  };
  holder.append(body);
  fill();
}

async function experiments(body, signal) {
  const told = await get("/studio/api/experiments", { signal });
  const all = Array.isArray(told) ? told : told.experiments;
  if (!all.length) {
    body.replaceChildren(
      empty({
        title: "No experiments yet",
        symbol: "lab",
        text: "Run an experiment in at most three minutes; its tables and its plot then appear here:",
        command: "dragoman lab run memory --quick",
      }),
    );
    return;
  }
  body.replaceChildren(
    tally(all),
    make(
      "ul",
      { class: "experiments sheet" },
      all.map((one) =>
        make(
          "li",
          {},
          make(
            "div",
            { class: "grow" },
            make(
              "h3",
              {},
              make("a", { href: `#lab/${encodeURIComponent(one.name)}` }, bidi(one.title || one.name)),
            ),
            make("p", { class: "faint small", text: aboutOf(one) }),
          ),
          make("div", { class: "row chips" }, verdicts(one.verdicts)),
        ),
      ),
    ),
  );
}

function aboutOf({ name, size, seeds, updated }) {
  const count = Array.isArray(seeds) ? seeds.length : seeds;
  return [name, size, count && `${count} seed${count === 1 ? "" : "s"}`, updated && ago(updated)]
    .filter(Boolean)
    .join(" · ");
}

const verdicts = (counts = {}) =>
  ORDER.filter((name) => counts[name]).map((name) =>
    chip(`${counts[name]} ${name.replace(/^a /, "")}`, LOOKS[name]),
  );

/** All verdicts together. */
function tally(all) {
  const sums = {};
  for (const { verdicts: counts = {} } of all) {
    for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
  }
  const names = ORDER.filter((name) => sums[name]);
  return make(
    "dl",
    { class: "figures sheet pad" },
    names.map((name) =>
      make(
        "div",
        {},
        make("dt", { text: name.replace(/^a /, "") }),
        make("dd", { text: String(sums[name]) }),
      ),
    ),
  );
}

async function experiment(holder, body, name, title, signal) {
  const told = await get(`/studio/api/experiments/${encodeURIComponent(name)}`, { signal });
  title(told.title || name);
  const text = told.markdown ?? told.table ?? "";
  // The findings stand below, one by one, so their section of the document is left out.
  const tables = text.split(/^## (?:Verdicts on the claims|What became of the statements)$/m)[0];
  const plot = told.picture && new URL(told.picture, location.href);
  body.replaceChildren(
    ...[
      pageHead(told.title || name, "", null, ["#lab", "Lab"]),
      told.findings?.length && make("ul", { class: "claims sheet" }, told.findings.map(claim)),
      plot &&
        make(
          "figure",
          { class: "sheet pad plate block" },
          make("img", {
            src: plot.pathname + plot.search,
            alt: `Plot of the results of “${told.title || name}”`,
            loading: "lazy",
          }),
        ),
      tables &&
        make("section", { class: "block" }, make("h2", { text: "Results" }), markdown(tables, { level: 3 })),
    ].filter(Boolean),
  );
  if (document.activeElement === document.body) holder.querySelector("h1")?.focus({ preventScroll: true });
}

function claim({ ledger, notes, verdict, because }) {
  return make(
    "li",
    {},
    make(
      "div",
      { class: "row" },
      chip(verdict, LOOKS[verdict]),
      make("span", { class: "faint small", text: (ledger ?? []).join(", ") }),
    ),
    make("p", {}, "Claim: ", bidi(notes ?? "", { tag: "span" })),
    make("p", { class: "because", dir: "auto", text: because ?? "" }),
  );
}
