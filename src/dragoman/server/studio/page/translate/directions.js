// Which languages are translated into which, and by which runs.

/** @typedef {{source: string, target: string}} Direction */

/** The ways of one run. A run that names no language has "". */
function waysOf(run) {
  if (run.ways?.length)
    return run.ways.map(([source, target]) => ({ source: source ?? "", target: target ?? "" }));
  const sources = run.source?.length ? run.source : [""],
    targets = run.targets?.length ? run.targets : [""];
  return sources.flatMap((source) => targets.map((target) => ({ source, target })));
}

/** Return every direction that is served, each once. */
export function directions(overview) {
  const found = new Map();
  for (const run of overview.translators) {
    for (const way of waysOf(run)) found.set(`${way.source}>${way.target}`, way);
  }
  return [...found.values()];
}

/** Return the runs that serve a direction. */
export function runsOf(overview, { source, target }) {
  return overview.translators.filter((run) =>
    waysOf(run).some((way) => way.source === source && way.target === target),
  );
}

/** Return the way back, if any run goes it. */
export const reversed = (overview, { source, target }) =>
  directions(overview).find((one) => one.source === target && one.target === source);

/** The name of a language as people say it. */
export function nameOf(overview, language, otherwise) {
  if (!language) return otherwise;
  const told = overview.translators.map((run) => run.names?.[language]).find(Boolean);
  if (told) return told;
  try {
    return new Intl.DisplayNames("en", { type: "language" }).of(language) ?? language;
  } catch {
    return language;
  }
}

const RTL = new Set(["ar", "arc", "ckb", "dv", "fa", "he", "ks", "ps", "sd", "ug", "ur", "yi"]);
/** Whether a language is written from right to left. */
export const isRtl = (overview, language) =>
  RTL.has(language.split("-")[0]) || overview.translators.some((run) => run.rtl?.includes(language));
