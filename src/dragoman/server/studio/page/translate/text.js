// Texts as words with places.

/** @typedef {{text: string, begin: number, end: number}} Word */

/**
 * Cut a text into words: at spaces, or where a script has none, as the language does it.
 * @returns {Word[]}
 */
export function wordsOf(text, language = "") {
  const found = [];
  for (const match of text.matchAll(/\S+/gu)) {
    const begin = match.index;
    if (isUnspaced(match[0])) found.push(...segmented(match[0], begin, language));
    else found.push({ text: match[0], begin, end: begin + match[0].length });
  }
  return found;
}

const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
export const isUnspaced = (text) => UNSPACED.test(text);

function segmented(text, offset, language) {
  let segments;
  try {
    segments = [...new Intl.Segmenter(language || undefined, { granularity: "word" }).segment(text)];
  } catch {
    segments = [...text].reduce((made, each) => {
      const last = made.at(-1);
      return [
        ...made,
        { segment: each, index: last ? last.index + last.segment.length : 0, isWordLike: true },
      ];
    }, []);
  }
  const words = [];
  for (const { segment, index, isWordLike } of segments) {
    const last = words.at(-1);
    if (!isWordLike && last) {
      // a full stop belongs to the word before it
      last.text += segment;
      last.end += segment.length;
    } else words.push({ text: segment, begin: offset + index, end: offset + index + segment.length });
  }
  return words;
}

/**
 * Find parts in a text, one after the other.
 * @param {string} text
 * @param {string[]} parts
 * @returns {({begin: number, end: number}|null)[]} null where a part is spelled in another way
 */
export function placesOf(text, parts) {
  let from = 0;
  return parts.map((part) => {
    const begin = part ? text.indexOf(part, from) : -1;
    if (begin < 0) return null;
    from = begin + part.length;
    return { begin, end: from };
  });
}
