// Pointing at a word tints the words it goes with, on the other side.
import { seen, tableOf } from "./attention.js";
import { placesOf, wordsOf } from "./text.js";

/**
 * Join the source field and the columns.
 * @param {{source: object, inside: object, columns: () => object[], language: () => string}} given
 */
export function looker({ source, inside, columns, language }) {
  let pointed = null;
  let read = []; // for each sentence: where it begins, its words, the number of its first word
  let turn = 0;

  /** Part the source into the words of its sentences, once a translation of it is there. */
  function arrived() {
    const [{ answer, question }] = columns();
    read = [];
    if (!answer || question !== source.text) return;
    let count = 0;
    const places = placesOf(
      source.text,
      answer.sentences.map((one) => one.source),
    );
    read = answer.sentences.map((sentence, number) => {
      const words = wordsOf(sentence.source, language());
      const begin = places[number]?.begin ?? null;
      const first = count;
      if (begin !== null) count += words.length;
      return { begin, words, first };
    });
    source.part(
      read
        .filter((one) => one.begin !== null)
        .flatMap(({ begin, words }) =>
          words.map((word) => ({ begin: begin + word.begin, end: begin + word.end })),
        ),
    );
  }

  function clear() {
    source.tint(0, []);
    for (const one of columns()) one.output.tint(null, []);
    inside.tell(null);
  }

  async function table(column, sentence) {
    const one = column.answer?.sentences[sentence];
    if (!one || !read[sentence] || !column.run.attention) return null;
    const question = {
      run: column.run.name,
      source: one.source,
      target: one.text,
      ...(column.to && { to: column.to }),
    };
    const answer = await seen(question).catch(() => null);
    if (!answer?.maps.length) return null;
    const written = column.output.words[sentence] ?? [];
    return tableOf(
      answer,
      { source: one.source, target: one.text, read: read[sentence].words, written },
      inside.choice,
    );
  }

  async function again() {
    const mine = ++turn;
    if (!pointed) {
      clear();
      return;
    }
    const { side, column, sentence, word } = pointed;
    inside.settle(column, sentence);
    const found = await table(column, sentence);
    if (mine !== turn) return;
    clear();
    const { words, first } = read[sentence] ?? { words: [], first: 0 };
    if (!found) {
      if (side === "written") column.output.tint(sentence, [], word);
      return;
    }
    const line = side === "written" ? found[word] : found.map((row) => row[word]);
    if (side === "written") {
      source.tint(first, line);
      column.output.tint(sentence, [], word);
    } else {
      source.tint(first, [], first + word);
      column.output.tint(sentence, line);
    }
    told(side, column.output.words[sentence], words, word, line);
  }
  function told(side, written, words, word, line) {
    if (!line?.length) return;
    const best = line.indexOf(Math.max(...line));
    const [one, other] = side === "written" ? [written, words] : [words, written];
    inside.tell({ side, word: one[word].text, best: other[best].text, weight: line[best] });
  }

  return {
    arrived() {
      pointed = null;
      turn += 1;
      arrived();
      clear();
    },
    forget() {
      pointed = null;
      turn += 1;
      read = [];
      clear();
    },
    again,
    written(column, sentence, word) {
      pointed = sentence === null ? null : { side: "written", column, sentence, word };
      again();
    },
    read(place) {
      const sentence =
        place === null
          ? -1
          : read.findIndex(
              ({ begin, words }) =>
                begin !== null && words.length && place >= begin && place <= begin + words.at(-1).end,
            );
      const word =
        sentence < 0
          ? -1
          : read[sentence].words.findIndex(({ end }) => place < read[sentence].begin + end + 1);
      const next = word < 0 ? null : { side: "read", column: columns()[0], sentence, word };
      if (
        JSON.stringify([next?.sentence, next?.word]) === JSON.stringify([pointed?.sentence, pointed?.word]) &&
        (next === null) === (pointed === null)
      )
        return;
      pointed = next;
      again();
    },
  };
}
