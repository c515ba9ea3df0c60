// One route: what it does, what it takes, what it gives, and a command to try it with.
import { make } from "../dom.js";
import { icon } from "../icons.js";
import { markdown } from "../markdown.js";
import { copyButton } from "../components.js";
import { boundsOf, exampleOf, fieldsOf, resolved, typeOf } from "./schemas.js";

const JSON_TYPE = "application/json",
  FORM_TYPE = "multipart/form-data",
  PLAIN_FORM = "application/x-www-form-urlencoded";

export function route(one, api) {
  const body = bodyOf(one, api);
  return make(
    "article",
    { class: "route sheet", id: one.id, "aria-labelledby": `title-of-${one.id}` },
    make(
      "h3",
      { id: `title-of-${one.id}` },
      make("span", { class: `method ${one.method}`, text: one.method }),
      make("code", { text: one.path }),
    ),
    make("p", { class: "summary", text: one.summary ?? "" }),
    one.description && one.description !== one.summary && markdown(one.description, { level: 4 }),
    one.parameters.length > 0 &&
      table(
        "Parameters",
        one.parameters
          .map((each) => resolved(each, api))
          .map((each) => ({
            name: each.name,
            schema: each.schema ?? {},
            required: each.required,
            note: [`in ${each.in}`, each.description].filter(Boolean).join("; "),
          })),
        api,
      ),
    body &&
      (body.fields.length
        ? table(`Body, ${body.kind}`, body.fields, api)
        : make("p", { class: "small faint", text: `Body, ${body.kind}: ${typeOf(body.schema, api)}` })),
    answers(one, api),
    command(one, body, api),
  );
}

function bodyOf(one, api) {
  const content = resolved(one.requestBody, api).content;
  if (!content) return null;
  const kind = [JSON_TYPE, FORM_TYPE, PLAIN_FORM].find((name) => content[name]) ?? Object.keys(content)[0];
  const schema = content[kind]?.schema ?? {};
  return { kind, schema, fields: fieldsOf(schema, api) };
}

function table(title, fields, api) {
  return make(
    "div",
    { class: "part" },
    make("h4", { text: title }),
    make(
      "ul",
      { class: "fields" },
      fields.map(({ name, schema, required, note }) =>
        make(
          "li",
          {},
          make(
            "div",
            {},
            make("code", { class: "name", text: name }),
            required && make("span", { class: "required", text: "required" }),
          ),
          make(
            "div",
            {},
            make("span", { class: "type", text: typeOf(schema, api) }),
            make("span", {
              class: "faint small",
              text: [boundsOf(schema, api), note ?? resolved(schema, api).description]
                .filter(Boolean)
                .join(". "),
            }),
          ),
        ),
      ),
    ),
  );
}

function answers(one, api) {
  const rows = Object.entries(one.responses ?? {});
  return (
    rows.length > 0 &&
    make(
      "details",
      { class: "fold part" },
      make("summary", {}, icon("right"), make("h4", { text: "Responses" })),
      make(
        "ul",
        { class: "fields" },
        rows.map(([status, told]) => {
          const content = Object.entries(resolved(told, api).content ?? {});
          const fields = content.flatMap(([, { schema }]) => fieldsOf(schema, api));
          return make(
            "li",
            {},
            make("div", {}, make("code", { class: "name", text: status })),
            make(
              "div",
              {},
              make("span", { class: "type", text: content.map(([kind]) => kind).join(", ") }),
              make("span", {
                class: "faint small",
                text: [resolved(told, api).description, fields.map((field) => field.name).join(", ")]
                  .filter(Boolean)
                  .join(": "),
              }),
            ),
          );
        }),
      ),
    )
  );
}

const quoted = (text) => `'${String(text).replaceAll("'", "'\\''")}'`;

function command(one, body, api) {
  const query = one.parameters
    .map((each) => resolved(each, api))
    .filter((each) => each.in === "query" && each.required)
    .map((each) => `${each.name}=${encodeURIComponent(exampleOf(each.schema, api, each.name))}`)
    .join("&");
  const path = one.path.replaceAll(/\{(\w+)(?::\w+)?\}/g, (_, name) => name.toUpperCase());
  const address = location.origin + path + (query && `?${query}`);
  const lines = [
    ["curl", one.method !== "get" && `-X ${one.method.toUpperCase()}`, quoted(address)]
      .filter(Boolean)
      .join(" "),
  ];
  if (body?.kind === JSON_TYPE) {
    lines.push(
      `-H 'Content-Type: application/json'`,
      `-d ${quoted(JSON.stringify(exampleOf(body.schema, api)))}`,
    );
  } else if (body) {
    const shown = body.fields.filter((field) => field.required);
    for (const { name, schema } of shown.length ? shown : body.fields.slice(0, 2)) {
      const file = typeOf(schema, api).includes("file");
      lines.push(`-F ${quoted(`${name}=${file ? "@notes.txt" : exampleOf(schema, api, name)}`)}`);
    }
  }
  const text = lines.join(" \\\n  ");
  return make(
    "div",
    { class: "part copied" },
    copyButton(() => text, `Copy the command for ${one.path}`),
    make(
      "pre",
      { class: "code", tabindex: "0", role: "region", "aria-label": `Command for ${one.method} ${one.path}` },
      make("code", { text }),
    ),
  );
}
