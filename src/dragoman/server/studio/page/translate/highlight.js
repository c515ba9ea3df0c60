// Pointing at a word highlights the words on the other side by their attention weights.
import { attentionOf, tableOf } from "./attention.js";
import { placesOf, wordsOf } from "./text.js";

/**
 * Join the source field and the columns.
 * @param {{source: object, inside: object, columns: () => object[], language: () => string}} given
 */
export function highlighter({ source, inside, columns, language }) {
  let pointed = null;
  let sources = []; // for each sentence: where it begins, its words, the number of its first word
  let turn = 0;

  /** Part the source into the words of its sentences, once a translation of it is there. */
  function arrived() {
    const [{ answer, question }] = columns();
    sources = [];
    if (!answer || question !== source.text) return;
    let count = 0;
    const places = placesOf(
      source.text,
      answer.sentences.map((one) => one.source),
    );
    sources = answer.sentences.map((sentence, number) => {
      const words = wordsOf(sentence.source, language());
      const begin = places[number]?.begin ?? null;
      const first = count;
      if (begin !== null) count += words.length;
      return { begin, words, first };
    });
    source.part(
      sources
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
    if (!one || !sources[sentence] || !column.run.attention) return null;
    const question = {
      run: column.run.name,
      source: one.source,
      target: one.text,
      ...(column.to && { to: column.to }),
    };
    const answer = await attentionOf(question).catch(() => null);
    if (!answer?.maps.length) return null;
    const targets = column.output.words[sentence] ?? [];
    return tableOf(
      answer,
      { source: one.source, target: one.text, sources: sources[sentence].words, targets },
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
    const { words, first } = sources[sentence] ?? { words: [], first: 0 };
    if (!found) {
      if (side === "target") column.output.tint(sentence, [], word);
      return;
    }
    const line = side === "target" ? found[word] : found.map((row) => row[word]);
    if (side === "target") {
      source.tint(first, line);
      column.output.tint(sentence, [], word);
    } else {
      source.tint(first, [], first + word);
      column.output.tint(sentence, line);
    }
    tell(side, column.output.words[sentence], words, word, line);
  }
  function tell(side, targets, words, word, line) {
    if (!line?.length) return;
    const best = line.indexOf(Math.max(...line));
    const [one, other] = side === "target" ? [targets, words] : [words, targets];
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
      sources = [];
      clear();
    },
    again,
    target(column, sentence, word) {
      pointed = sentence === null ? null : { side: "target", column, sentence, word };
      again();
    },
    source(place) {
      const sentence =
        place === null
          ? -1
          : sources.findIndex(
              ({ begin, words }) =>
                begin !== null && words.length && place >= begin && place <= begin + words.at(-1).end,
            );
      const word =
        sentence < 0
          ? -1
          : sources[sentence].words.findIndex(({ end }) => place < sources[sentence].begin + end + 1);
      const next = word < 0 ? null : { side: "source", column: columns()[0], sentence, word };
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
