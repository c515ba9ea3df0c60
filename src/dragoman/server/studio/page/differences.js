// Where two texts differ, word by word.
import { make } from "./dom.js";
import { wordsOf } from "./translate/text.js";

/** Words of the longest text that is compared; in longer ones nothing is marked. */
const MOST = 3000;

/**
 * Say of each word of two lists whether the other has it in its place (longest common subsequence).
 * @param {string[]} one
 * @param {string[]} other
 * @returns {[boolean[], boolean[]]} true where a word is in both
 */
export function common(one, other) {
  const long = one.length > MOST || other.length > MOST;
  const kept = [one.map(() => long), other.map(() => long)];
  if (long) return kept;
  const wide = other.length + 1;
  const lengths = new Uint16Array((one.length + 1) * wide);
  for (let a = one.length - 1; a >= 0; a -= 1) {
    for (let b = other.length - 1; b >= 0; b -= 1) {
      lengths[a * wide + b] =
        one[a] === other[b]
          ? lengths[(a + 1) * wide + b + 1] + 1
          : Math.max(lengths[(a + 1) * wide + b], lengths[a * wide + b + 1]);
    }
  }
  for (let a = 0, b = 0; a < one.length && b < other.length; ) {
    if (one[a] === other[b]) {
      kept[0][a++] = true;
      kept[1][b++] = true;
    } else if (lengths[(a + 1) * wide + b] >= lengths[a * wide + b + 1]) a += 1;
    else b += 1;
  }
  return kept;
}

/** Return nodes of a text in which the words that another text does not have are marked. */
export function marked(text, other, looks = "differs") {
  const words = tokensOf(text);
  const [same] = common(...[words, tokensOf(other)].map((all) => all.map((word) => word.text)));
  const nodes = [];
  let at = 0;
  words.forEach((word, number) => {
    nodes.push(text.slice(at, word.begin), same[number] ? word.text : make("mark", { class: looks, text: word.text }));
    at = word.end;
  });
  return [...nodes, text.slice(at)];
}

/** Cut a text into words and punctuation: a comma that differs is no reason to mark its word. */
const tokensOf = (text) =>
  wordsOf(text).flatMap((word) =>
    [...word.text.matchAll(TOKEN)].map((match) => ({
      text: match[0],
      begin: word.begin + match.index,
      end: word.begin + match.index + match[0].length,
    })),
  );
const TOKEN = /[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*|[^\p{L}\p{M}\p{N}]+/gu;
