"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const find = (id) => document.getElementById(id);
  const KINDS = {
    across: {
      name: "Cross-attention", rows: "Target", columns: "Source",
      note: "Rows: target tokens (queries). Columns: source tokens (keys).",
    },
    source: {
      name: "Encoder self-attention", rows: "Source (queries)", columns: "Source (keys)",
      note: "Rows: source tokens (queries). Columns: source tokens (keys).",
    },
    target: {
      name: "Decoder self-attention", rows: "Target (queries)", columns: "Target (keys)",
      note: "Rows: target tokens (queries). Columns: earlier target tokens (keys).",
    },
    row: {
      name: "Self-attention", rows: "Queries", columns: "Keys",
      note: "Source and target form one sequence; a token attends to itself and to earlier tokens.",
    },
  };
  const SPECIAL = { "<s>": "start", "</s>": "end" };
  const state = { sentence: 0, kind: "across", layer: null, head: 0, merge: false, row: 0, column: null };
  let table = [];  // rows of weights, as they are shown
  let shown = { rows: [], columns: [] };

  const make = (tag, className, text) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const share = (weight) => Math.pow(Math.min(Math.max(weight, 0), 1), 0.65);
  const paint = (element, weight) => element.style.setProperty("--w", share(weight).toFixed(3));
  const number = (weight) => weight.toFixed(3);

  const sentence = () => data.sentences[state.sentence];
  const whole = (one) => [one.rows, one.columns].every(
    (axis) => axis.pieces.length === axis.spelled.length);
  const map = () => sentence().maps.find((one) => one.kind === state.kind) || sentence().maps[0];

  // ▁ stands for the space before a word; what continues a word is drawn close to it instead.
  const readable = (piece) => piece.replaceAll("▁", "") || "␣";
  function labels(axis) {
    const marks = new Set(axis.marks);
    if (!state.merge) {
      return axis.pieces.map((piece, place) => ({
        text: marks.has(place) ? SPECIAL[piece] || piece : readable(piece),
        mark: marks.has(place),
        continues: place > 0 && axis.words[place] === axis.words[place - 1],
      }));
    }
    const marked = new Set(axis.marks.map((place) => axis.words[place]));
    return axis.spelled.map((text, word) => ({
      text: marked.has(word) ? SPECIAL[text] || text : text, mark: marked.has(word), continues: false,
    }));
  }

  function weights() {
    const { rows, columns, layers } = map();
    const layer = layers[state.layer];
    const chosen = state.head === 0 ? layer : [layer[state.head - 1]];
    const wide = columns.pieces.length;
    const found = rows.pieces.map((_, r) => columns.pieces.map((__, c) => {
      let sum = 0;
      for (const head of chosen) sum += head[r * wide + c];
      return sum / chosen.length / data.scale;
    }));
    return state.merge ? mergedToWords(found, rows.words, columns.words) : found;
  }
  // Sum over the keys of a word, mean over its queries.
  function mergedToWords(pieces, rows, columns) {
    const high = rows[rows.length - 1] + 1, wide = columns[columns.length - 1] + 1;
    const found = Array.from({ length: high }, () => new Array(wide).fill(0));
    const sizes = new Array(high).fill(0);
    rows.forEach((word) => { sizes[word] += 1; });
    pieces.forEach((line, r) => line.forEach((weight, c) => {
      found[rows[r]][columns[c]] += weight / sizes[rows[r]];
    }));
    return found;
  }

  function choices(id, options, chosen, change) {
    const group = find(id);
    group.hidden = options.length < 2;
    const box = group.querySelector(".choices");
    const focused = box.contains(document.activeElement);
    box.replaceChildren(...options.map(([value, name]) => {
      const label = make("label"), input = make("input");
      input.type = "radio";
      input.name = id;
      input.value = value;
      input.checked = String(value) === String(chosen);
      input.addEventListener("change", () => change(value));
      label.append(input, make("span", "", name));
      return label;
    }));
    if (focused) box.querySelector("input:checked")?.focus();
  }

  function controls() {
    const maps = sentence().maps;
    state.kind = map().kind;
    const layers = map().layers;
    if (state.layer === null || state.layer >= layers.length) state.layer = layers.length - 1;
    const heads = layers[state.layer].length;
    if (state.head > heads || heads === 1) state.head = 0;
    choices("kind", maps.map((one) => [one.kind, KINDS[one.kind].name]), state.kind, (kind) => {
      Object.assign(state, { kind, layer: null, head: 0, row: 0, column: null });
      draw();
    });
    choices("layer", layers.map((_, layer) => [layer, layer + 1]), state.layer, (layer) => {
      state.layer = layer;
      draw();
    });
    const each = layers[state.layer].map((_, head) => [head + 1, head + 1]);
    choices("head", heads > 1 ? [[0, "Mean"], ...each] : each, state.head, (head) => {
      state.head = head;
      draw();
    });
    find("earlier").disabled = state.sentence === 0;
    find("later").disabled = state.sentence === data.sentences.length - 1;
    find("sentence").value = state.sentence;
    find("merge").disabled = maps.every(whole);
    find("merge").checked = state.merge;
  }

  function token(label, place, side) {
    const button = make("button", "token", label.text);
    button.type = "button";
    button.dir = "auto";
    button.tabIndex = -1;
    button.classList.toggle("mark", label.mark);
    button.classList.toggle("continues", label.continues);
    const choose = () => select(side === "rows" ? place : null, side === "rows" ? null : place);
    for (const event of ["mouseenter", "focus", "click"]) button.addEventListener(event, choose);
    return button;
  }
  function strip(side) {
    const box = find(side);
    const text = shown[side].filter((label) => !label.mark).map((label) => label.text).join(" ");
    box.dir = /^\P{L}*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u
      .test(text) ? "rtl" : "ltr";
    box.replaceChildren(...shown[side].map((label, place) => token(label, place, side)));
  }

  function heading(label, scope) {
    const cell = make("th"), text = make("span", "label");
    cell.scope = scope;
    text.dir = "auto";
    if (label.continues) text.append(make("span", "dot", "·"));
    text.append(label.text);
    text.classList.toggle("mark", label.mark);
    text.title = label.text;
    cell.append(text);
    return cell;
  }
  function grid() {
    const head = make("thead"), first = make("tr"), body = make("tbody");
    first.replaceChildren(make("th"), ...shown.columns.map((label) => heading(label, "col")));
    head.append(first);
    table.forEach((line, r) => {
      const row = make("tr");
      row.append(heading(shown.rows[r], "row"));
      line.forEach((weight, c) => {
        const cell = make("td");
        cell.tabIndex = -1;
        cell.setAttribute("role", "gridcell");
        cell.setAttribute(
          "aria-label", `${shown.rows[r].text}, ${shown.columns[c].text}: ${number(weight)}`);
        cell.dataset.row = r;
        cell.dataset.column = c;
        paint(cell, weight);
        row.append(cell);
      });
      body.append(row);
    });
    find("grid").replaceChildren(head, body);
    find("grid").parentElement.classList.toggle("tall", table.length > 40);
  }
  // Cells take the room there is, within bounds that are easy to hit and to take in.
  function fit() {
    const heads = [...find("grid").tBodies[0].rows].map((row) => row.cells[0].offsetWidth);
    const room = find("grid").parentElement.clientWidth - Math.max(...heads) - 6;
    const size = Math.floor(room / shown.columns.length) - 2;
    find("grid").style.setProperty("--size", `${Math.min(Math.max(size, 25), 40)}px`);
    fade();
  }
  // A fading edge says that the map continues.
  function fade() {
    const box = find("grid").parentElement;
    box.classList.toggle("more", box.scrollLeft + box.clientWidth < box.scrollWidth - 2);
  }
  const cellAt = (row, column) => find("grid").tBodies[0].rows[row].cells[column + 1];

  // A row or a column or both may be chosen: a query, a key, or one weight.
  function select(row, column) {
    state.row = row;
    state.column = column;
    light();
  }
  function light() {
    const { row, column } = state;
    [...find("rows").children].forEach((element, r) => {
      paint(element, column !== null && row === null ? table[r][column] : 0);
      element.classList.toggle("chosen", r === row);
      element.tabIndex = r === (row ?? 0) ? 0 : -1;
    });
    [...find("columns").children].forEach((element, c) => {
      paint(element, row !== null ? table[row][c] : 0);
      element.classList.toggle("chosen", c === column);
      element.tabIndex = c === (column ?? 0) ? 0 : -1;
    });
    const rows = [...find("grid").tBodies[0].rows];
    rows.forEach((line, r) => line.cells[0].classList.toggle("chosen", r === row));
    [...find("grid").tHead.rows[0].cells].forEach(
      (cell, c) => cell.classList.toggle("chosen", c - 1 === column));
    find("grid").querySelectorAll("td.chosen").forEach((cell) => cell.classList.remove("chosen"));
    find("grid").querySelectorAll("td[tabindex='0']").forEach((cell) => { cell.tabIndex = -1; });
    const cell = cellAt(row ?? 0, column ?? 0);
    cell.tabIndex = 0;
    cell.classList.toggle("chosen", row !== null && column !== null);
    tell();
  }
  function tell() {
    const { row, column } = state;
    const word = (label) => {
      const element = make("bdi", "", label.text);
      element.dir = "auto";
      return element;
    };
    const box = find("readout");
    if (row !== null && column !== null) {
      box.replaceChildren(word(shown.rows[row]), "attends to", word(shown.columns[column]),
        make("b", "", number(table[row][column])));
      return;
    }
    const across = row !== null;
    const line = across ? table[row] : table.map((each) => each[column]);
    const best = line.indexOf(Math.max(...line));
    box.replaceChildren(...(across
      ? [word(shown.rows[row]), "attends most to", word(shown.columns[best])]
      : [word(shown.columns[column]), "is attended to most by", word(shown.rows[best])]),
    make("b", "", number(line[best])));
  }

  function draw() {
    controls();
    table = weights();
    shown = { rows: labels(map().rows), columns: labels(map().columns) };
    if (state.row !== null) state.row = Math.min(state.row, shown.rows.length - 1);
    if (state.column !== null) state.column = Math.min(state.column, shown.columns.length - 1);
    const kind = KINDS[state.kind];
    find("rows-name").textContent = kind.rows;
    find("columns-name").textContent = kind.columns;
    const parted = map().kind === "across" && sentence().maps.some((one) => one.kind === "row");
    find("note").textContent = kind.note + (state.merge
      ? " Subwords are merged: weights are summed over keys and averaged over queries."
      : "") + (parted
      ? " Each row is a part of a longer one, so it sums to less than one."
      : " Each row sums to one.");
    strip("rows");
    strip("columns");
    grid();
    fit();
    light();
  }

  function turnTo(place) {
    Object.assign(state, { sentence: place, row: 0, column: null });
    draw();
  }
  const between = (value, most) => Math.min(Math.max(value, 0), most - 1);

  find("grid").addEventListener("keydown", (event) => {
    const cell = event.target.closest("td");
    if (!cell) return;
    let row = Number(cell.dataset.row), column = Number(cell.dataset.column);
    switch (event.key) {
      case "ArrowUp": row -= 1; break;
      case "ArrowDown": row += 1; break;
      case "ArrowLeft": column -= 1; break;
      case "ArrowRight": column += 1; break;
      case "Home": column = 0; if (event.ctrlKey) row = 0; break;
      case "End": column = Infinity; if (event.ctrlKey) row = Infinity; break;
      default: return;
    }
    event.preventDefault();
    cellAt(between(row, table.length), between(column, table[0].length)).focus();
  });
  for (const event of ["mouseover", "focusin", "click"]) {
    find("grid").addEventListener(event, ({ target }) => {
      const cell = target.closest("td");
      if (cell) select(Number(cell.dataset.row), Number(cell.dataset.column));
    });
  }
  for (const side of ["rows", "columns"]) {
    find(side).addEventListener("keydown", (event) => {
      const tokens = [...find(side).children], place = tokens.indexOf(event.target);
      const on = find(side).dir === "rtl" ? -1 : 1;
      const to = { ArrowLeft: place - on, ArrowRight: place + on, Home: 0, End: Infinity }[event.key];
      if (event.key === "ArrowUp" || event.key === "ArrowDown") {
        const other = side === "rows" ? "columns" : "rows";
        event.preventDefault();
        find(other).querySelector("[tabindex='0']").focus();
      } else if (to !== undefined) {
        event.preventDefault();
        tokens[between(to, tokens.length)].focus();
      }
    });
  }
  find("sentence").append(...data.sentences.map((one, place) => {
    const option = make("option", "", `${place + 1}.  ${one.source}`);
    option.value = place;
    option.dir = "auto";
    return option;
  }));
  find("sentence").addEventListener("change", (event) => turnTo(Number(event.target.value)));
  find("earlier").addEventListener("click", () => turnTo(state.sentence - 1));
  find("later").addEventListener("click", () => turnTo(state.sentence + 1));
  find("merge").addEventListener("change", (event) => {
    Object.assign(state, { merge: event.target.checked, row: 0, column: null });
    draw();
  });
  find("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme
      ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });
  const steps = Array.from({ length: 11 }, (_, step) => step / 10);
  document.querySelector(".scale i").style.background = `linear-gradient(to right, ${steps.map(
    (w) => `color-mix(in oklab, var(--accent) ${share(w) * 100}%, var(--cell)) ${w * 100}%`)})`;
  document.querySelector(".switch").hidden = data.sentences.every((one) => one.maps.every(whole));
  document.querySelector(".picker").hidden = data.sentences.length < 2;
  addEventListener("resize", fit);
  find("grid").parentElement.addEventListener("scroll", fade, { passive: true });
  find("name").textContent = data.title;
  draw();
})();
