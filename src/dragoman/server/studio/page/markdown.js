// A small, safe part of Markdown: headings, paragraphs, lists, tables, code, emphasis. Everything
// becomes elements with text; markup of the document's own stays text.
import { make } from "./dom.js";

/**
 * Render a document.
 * @param {string} text
 * @param {{level?: number}} [given] the level of a heading `##`; the title `#` is left to the page
 * @returns {HTMLElement}
 */
export function markdown(text, { level = 3 } = {}) {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  const nodes = [];
  for (let at = 0; at < lines.length; ) {
    const block = BLOCKS.find(({ begins }) => begins.test(lines[at]));
    const [node, next] = (block?.read ?? paragraph)(lines, at, level);
    if (node) nodes.push(node);
    at = next;
  }
  return make("div", { class: "prose", dir: "auto" }, nodes);
}

const ITEM = /^\s*(?:[-*+]|\d+[.)])\s+/;
const BLOCKS = [
  { begins: /^\s*$/, read: (_, at) => [null, at + 1] },
  { begins: /^```/, read: fence },
  { begins: /^#{1,6}\s/, read: heading },
  { begins: /^\s*\|/, read: table },
  { begins: ITEM, read: list },
  { begins: /^\s*!\[[^\]]*\]\([^)]*\)\s*$/, read: (_, at) => [null, at + 1] }, // images stand elsewhere
  { begins: /^(?:-{3,}|\*{3,})\s*$/, read: (_, at) => [make("hr"), at + 1] },
];

function fence(lines, at) {
  let end = at + 1;
  while (end < lines.length && !lines[end].startsWith("```")) end += 1;
  return [
    make(
      "pre",
      { class: "code", tabindex: "0" },
      make("code", { text: lines.slice(at + 1, end).join("\n") }),
    ),
    end + 1,
  ];
}

function heading(lines, at, level) {
  const [, marks, words] = lines[at].match(/^(#{1,6})\s+(.*?)\s*#*$/) ?? [null, "##", lines[at]];
  if (marks.length === 1) return [null, at + 1];
  return [make(`h${Math.min(6, level + marks.length - 2)}`, {}, inline(words)), at + 1];
}

function paragraph(lines, at) {
  let end = at + 1;
  while (end < lines.length && !BLOCKS.some(({ begins }) => begins.test(lines[end]))) end += 1;
  return [make("p", {}, inline(lines.slice(at, end).join(" "))), end];
}

function list(lines, at) {
  const ordered = /^\s*\d/.test(lines[at]);
  const items = [];
  let end = at;
  for (; end < lines.length; end += 1) {
    if (ITEM.test(lines[end])) items.push(lines[end].replace(ITEM, ""));
    else if (/^\s+\S/.test(lines[end])) items[items.length - 1] += ` ${lines[end].trim()}`;
    else break;
  }
  return [make(ordered ? "ol" : "ul", {}, items.map((item) => make("li", {}, inline(item)))), end];
}

function table(lines, at) {
  let end = at;
  while (end < lines.length && /^\s*\|/.test(lines[end])) end += 1;
  const cells = (line) =>
    line
      .trim()
      .replace(/^\||\|$/g, "")
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll("\\|", "|"));
  const rows = lines.slice(at, end).map(cells);
  const ruled = rows.length > 1 && rows[1].every((cell) => /^:?-+:?$/.test(cell));
  const ends = ruled ? rows[1].map((cell) => cell.endsWith(":")) : [];
  const body = rows.slice(ruled ? 2 : 1);
  // A column of numbers is set flush right, whatever its rule says.
  const numeric = rows[0].map(
    (_, column) =>
      ends[column] ||
      (body.every((row) => /^[-+<>≤≥–\d.,%\s±]*$/.test(row[column] ?? "")) &&
        body.some((row) => /\d/.test(row[column] ?? ""))),
  );
  const cell = (tag, scope) => (text, column) =>
    make(tag, { scope, class: numeric[column] ? "end" : null }, inline(text));
  return [
    make(
      "div",
      { class: "table-scroll", tabindex: "0", role: "region", "aria-label": "Table" },
      make(
        "table",
        { class: "table" },
        make("thead", {}, make("tr", {}, rows[0].map(cell("th", "col")))),
        make("tbody", {}, body.map((row) => make("tr", {}, row.map(cell("td", null))))),
      ),
    ),
    end,
  ];
}

const INLINE =
  /(`+)(.+?)\1|\*\*(.+?)\*\*|(?<![\w*])\*(?!\s)([^*]+?)\*(?!\w)|(?<!\w)_(?!\s)([^_]+?)_(?!\w)|!?\[([^\]]*)\]\(([^)\s]*)\)/gu;

/** Return the nodes of a line; a link becomes one only if it leads to a page of the web. */
function inline(text) {
  const nodes = [];
  let at = 0;
  for (const match of text.matchAll(INLINE)) {
    nodes.push(text.slice(at, match.index));
    const [whole, , code, strong, starred, lined, words, address] = match;
    if (code !== undefined) nodes.push(make("code", { text: code }));
    else if (strong !== undefined) nodes.push(make("strong", {}, inline(strong)));
    else if (starred !== undefined || lined !== undefined)
      nodes.push(make("em", {}, inline(starred ?? lined)));
    else if (/^https?:\/\//.test(address))
      nodes.push(
        make("a", { href: address, rel: "noreferrer noopener", target: "_blank", text: words || address }),
      );
    else nodes.push(words || "");
    at = match.index + whole.length;
  }
  nodes.push(text.slice(at));
  return nodes.filter((node) => node !== "");
}
