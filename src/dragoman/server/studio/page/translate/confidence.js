// How far a translation can be relied on, in words.
import { chip } from "../components.js";

const LEVELS = [
  { from: 0.8, name: "good", words: "probably good" },
  { from: 0.5, name: "warn", words: "check this" },
  { from: -1, name: "bad", words: "unreliable" },
];

/** @returns {{name: string, words: string}|null} null where nothing is known */
export function levelOf(confidence) {
  if (confidence === null || confidence === undefined) return null;
  return LEVELS.find((level) => confidence >= level.from);
}

/** A probability for people: certainty is never claimed. */
export const sure = (confidence) =>
  confidence < 0.01 ? "< 1 %" : confidence > 0.99 ? "> 99 %" : `${Math.round(confidence * 100)} %`;

/** A chip for one sentence. */
export function confidenceChip(confidence) {
  const level = levelOf(confidence);
  if (!level) return null;
  const made = chip(`${sure(confidence)} · ${level.words}`, level.name);
  made.title =
    "Estimated probability that the translation is good (chrF of 60 or more), without a reference.";
  return made;
}

/** A chip for a text: of its weakest sentence if it has one, else how many are to be checked. */
export function summaryChip(sentences) {
  const known = sentences.filter((one) => levelOf(one.confidence));
  if (!known.length) return null;
  if (known.length === 1) return confidenceChip(known[0].confidence);
  const weak = known.filter((one) => levelOf(one.confidence).name !== "good");
  if (!weak.length)
    return chip(`${known.length === 2 ? "both" : `all ${known.length}`} sentences probably good`, "good");
  const worst = weak.some((one) => levelOf(one.confidence).name === "bad") ? "bad" : "warn";
  return chip(`${weak.length} of ${known.length} sentences to check`, worst);
}
