// Where two texts differ, word by word.
import { make } from "./dom.js";

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

/** Return nodes of a text in which what another text does not have is marked. */
export function marked(text, other, looks = "differs") {
  const parts = text.split(/(\s+)/),
    words = parts.filter((_, place) => place % 2 === 0);
  const [same] = common(words, other.split(/\s+/));
  return parts.map((part, place) =>
    place % 2 === 0 && part && !same[place / 2] ? make("mark", { class: looks, text: part }) : part,
  );
}
