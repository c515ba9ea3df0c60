// Attention weights of a network, mapped from its subwords to the words on the page.
import { post } from "../api.js";
import { isUnspaced, placesOf } from "./text.js";

const answers = new Map();
const MOST = 60;

/**
 * Ask for the attention of a sentence and its translation; an answer is kept for a while.
 * @param {{run: string, source: string, target: string, to?: string}} question
 */
export function attentionOf(question) {
  const key = JSON.stringify(question);
  if (!answers.has(key)) {
    const answer = post("/studio/api/attention", question);
    answers.set(key, answer);
    answer.catch(() => answers.delete(key));
    if (answers.size > MOST) answers.delete(answers.keys().next().value);
  }
  return answers.get(key);
}

export const mapOf = (answer, kind = "across") => answer.maps.find((map) => map.kind === kind);

/** Return weights[row][column] of the subwords; head 0 is the mean of all, layer null the last. */
export function weightsOf(answer, map, { layer = null, head = 0 } = {}) {
  const heads = map.layers[layerOf(map, layer)];
  const chosen = head > 0 && head <= heads.length ? [heads[head - 1]] : heads;
  const wide = map.columns.pieces.length;
  return map.rows.pieces.map((_, row) =>
    map.columns.pieces.map((__, column) => {
      let sum = 0;
      for (const one of chosen) sum += one[row * wide + column];
      return sum / chosen.length / answer.scale;
    }),
  );
}
export const layerOf = (map, layer) => Math.min(layer ?? Infinity, map.layers.length - 1);

/** Merge subwords to words: sum over the keys of a word, mean over its queries. */
export function mergedToWords(weights, rows, columns) {
  const high = Math.max(...rows) + 1,
    wide = Math.max(...columns) + 1;
  const found = Array.from({ length: high }, () => new Array(wide).fill(0));
  const sizes = new Array(high).fill(0);
  for (const word of rows) sizes[word] += 1;
  weights.forEach((line, r) =>
    line.forEach((weight, c) => {
      found[rows[r]][columns[c]] += weight / sizes[rows[r]];
    }),
  );
  return found;
}

/**
 * Say for each subword which of the page's words it is a part of; -1 for special tokens and what is not found.
 * @param {{pieces: string[], words: number[], spelled: string[], marks: number[]}} axis
 * @param {string} text
 * @param {{begin: number, end: number}[]} words
 */
export function wordsOfSubwords(axis, text, words) {
  const marks = new Set(axis.marks);
  const inside = (place) =>
    place ? words.findIndex((word) => place.begin < word.end && word.begin < place.end) : -1;
  if (isUnspaced(text)) {
    const bare = axis.pieces.map((piece, at) => (marks.has(at) ? "" : piece.replaceAll("▁", "")));
    return placesOf(text, bare).map(inside);
  }
  const marked = new Set(axis.marks.map((at) => axis.words[at]));
  const own = axis.spelled.map((_, number) => number).filter((number) => !marked.has(number));
  const found = placesOf(
    text,
    axis.spelled.map((word, number) => (marked.has(number) ? "" : word)),
  );
  // Where the vocabulary spells a word in another way, it is the word that stands in its place.
  const equal = own.length === words.length;
  const where = axis.spelled.map((_, number) => {
    if (marked.has(number)) return -1;
    return equal ? own.indexOf(number) : inside(found[number]);
  });
  return axis.pieces.map((_, at) => (marks.has(at) ? -1 : where[axis.words[at]]));
}

/**
 * Return the table of the page's words: table[target word][source word].
 * @param {object} answer
 * @param {{source: string, target: string, sources: object[], targets: object[]}} sentence its words
 */
export function tableOf(answer, sentence, choice) {
  const map = mapOf(answer);
  if (!map) return null;
  const weights = weightsOf(answer, map, choice);
  const { source, target, sources, targets } = sentence;
  const rows = wordsOfSubwords(map.rows, target, targets);
  const columns = wordsOfSubwords(map.columns, source, sources);
  const table = targets.map(() => new Array(sources.length).fill(0));
  const sizes = targets.map((_, word) => rows.filter((row) => row === word).length || 1);
  rows.forEach((word, r) => {
    if (word < 0) return;
    columns.forEach((other, c) => {
      if (other >= 0) table[word][other] += weights[r][c] / sizes[word];
    });
  });
  return table;
}

/** How strongly a weight is drawn: small ones are lifted, so that they can be seen. */
export const strength = (weight) => Math.min(Math.max(weight, 0), 1) ** 0.65;
