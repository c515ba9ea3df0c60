// Every run of the folder, the newest first.
import { get } from "../api.js";
import { make, bidi } from "../dom.js";
import { ago, figure, whole } from "../numbers.js";
import { chip, empty, loading, pageHead, problem } from "../components.js";
import { polling } from "./polling.js";

export function list(holder) {
  const body = make("div", {}, loading());
  holder.append(pageHead("Runs", "Finished and running trainings in this folder."), body);
  let shown = false;
  const ask = async (signal) => {
    try {
      const { runs } = await get("/studio/api/runs", { signal });
      show(body, runs);
      shown = true;
      return runs.some((run) => run.state === "training") ? 4000 : 15000;
    } catch (failure) {
      if (failure.kind === "stale") return 0;
      if (failure.kind !== "gone" || !shown) body.replaceChildren(problem(failure, () => again.now()));
      return failure.kind === "gone" ? 5000 : 0;
    }
  };
  const again = polling(ask);
  return again.stop;
}

function show(body, runs) {
  if (!runs.length) {
    body.replaceChildren(
      empty({
        title: "No runs yet",
        symbol: "runs",
        text: "A run appears here as soon as training starts:",
        command: "dragoman demo",
      }),
    );
    return;
  }
  const focused = document.activeElement?.dataset.run;
  const rows = [...runs].sort((one, other) => (other.updated ?? 0) - (one.updated ?? 0)).map(row);
  body.replaceChildren(
    make(
      "div",
      { class: "sheet" },
      make(
        "table",
        { class: "table listed runs" },
        make(
          "thead",
          {},
          make(
            "tr",
            {},
            ["Run", "State", "Task", "Score", "Steps", "Updated"].map((words, at) =>
              make("th", { scope: "col", class: at > 2 ? "end" : null, text: words }),
            ),
          ),
        ),
        make("tbody", {}, rows),
      ),
    ),
  );
  if (focused) body.querySelector(`[data-run="${CSS.escape(focused)}"]`)?.focus();
}

/** The state of a run, as a chip. */
export function stateChip(state) {
  if (state === "training") return chip("training", "accent", make("i", { class: "dot live" }));
  return chip(state, { finished: "good", stopped: "warn", damaged: "bad" }[state] ?? "");
}

function row(run) {
  return make(
    "tr",
    { class: "linked" },
    make(
      "th",
      { scope: "row" },
      make(
        "a",
        { href: `#runs/${encodeURIComponent(run.name)}`, dataset: { run: run.name } },
        bidi(run.name),
      ),
      run.served && make("span", { class: "served", title: "This run is being served", text: "served" }),
    ),
    make("td", { class: "right" }, stateChip(run.state)),
    make("td", { class: "soft", text: run.kind ?? "–" }),
    make(
      "td",
      { class: "end number right" },
      run.score
        ? [
            make("strong", { text: figure(run.score.value) }),
            make("span", { class: "faint small", text: ` ${run.score.name}, ${run.score.set}` }),
          ]
        : make("span", { class: "faint", text: "–" }),
    ),
    make("td", { class: "end number" }, steps(run)),
    make("td", { class: "end faint small right", text: run.updated ? ago(run.updated) : "–" }),
  );
}

function steps({ step, steps: all }) {
  if (!all) return whole(step ?? 0);
  return [whole(step ?? 0), make("span", { class: "faint", text: ` / ${whole(all)}` })];
}
