// Schemas in words, and examples made of them.

/** Follow a reference inside the document. */
export function resolved(schema, api, depth = 0) {
  if (!schema?.$ref || depth > 8) return schema ?? {};
  const found = schema.$ref
    .replace(/^#\//, "")
    .split("/")
    .reduce((at, key) => at?.[key.replaceAll("~1", "/").replaceAll("~0", "~")], api);
  return resolved(found, api, depth + 1);
}

const choices = (schema) => schema.anyOf ?? schema.oneOf;

/** Say the type of a schema: `string`, `list of numbers`, `"a" or "b"`. */
export function typeOf(schema, api, depth = 0) {
  const one = resolved(schema, api);
  if (depth > 4) return "…";
  if (one.const !== undefined) return JSON.stringify(one.const);
  if (one.enum) return one.enum.map((value) => JSON.stringify(value)).join(" or ");
  if (choices(one))
    return [...new Set(choices(one).map((each) => typeOf(each, api, depth + 1)))]
      .filter((type) => type !== "null")
      .join(" or ");
  if (one.allOf?.length === 1) return typeOf(one.allOf[0], api, depth + 1);
  if (one.type === "array") return `list of ${typeOf(one.items, api, depth + 1)}`;
  if (one.format === "binary" || one.contentMediaType) return "file";
  return (Array.isArray(one.type) ? one.type.join(" or ") : one.type) ?? (one.properties ? "object" : "any");
}

/** Say the bounds of a schema. */
export function boundsOf(schema, api) {
  const one = resolved(schema, api);
  const inner =
    choices(one)
      ?.map((each) => resolved(each, api))
      .find((each) => each.type !== "null") ?? {};
  const all = { ...inner, ...one };
  return [
    ![undefined, null, ""].includes(all.default) && `default ${JSON.stringify(all.default)}`,
    all.minimum !== undefined && `from ${all.minimum}`,
    all.exclusiveMinimum !== undefined && `above ${all.exclusiveMinimum}`,
    all.maximum !== undefined && `up to ${all.maximum}`,
    all.exclusiveMaximum !== undefined && `below ${all.exclusiveMaximum}`,
    all.maxLength !== undefined && `at most ${all.maxLength} characters`,
    all.maxItems !== undefined && `at most ${all.maxItems} items`,
  ]
    .filter(Boolean)
    .join(", ");
}

/** Return the fields of an object's schema: name, schema, whether it must be there. */
export function fieldsOf(schema, api) {
  const one = resolved(schema, api);
  if (one.allOf) return one.allOf.flatMap((part) => fieldsOf(part, api));
  const must = new Set(one.required ?? []);
  return Object.entries(one.properties ?? {}).map(([name, each]) => ({
    name,
    schema: each,
    required: must.has(name),
  }));
}

const SAMPLES = {
  text: "Hello",
  q: "Hello",
  prompt: "Once upon a time",
  source: "en",
  target: "hi",
  to: "hi",
  run: "demo",
  model: "demo",
  file: "@notes.txt",
};

/** Make an example of a schema: what must be there, with plausible values. */
export function exampleOf(schema, api, name = "", depth = 0) {
  const one = resolved(schema, api);
  if (one.example !== undefined) return one.example;
  if (one.examples?.length) return one.examples[0];
  if (name in SAMPLES && typeOf(one, api).includes("string")) return SAMPLES[name];
  if (one.default !== undefined && one.default !== null) return one.default;
  if (one.const !== undefined) return one.const;
  if (one.enum) return one.enum[0];
  if (choices(one)) return exampleOf(choices(one)[0], api, name, depth + 1);
  if (one.type === "array") return depth > 3 ? [] : [exampleOf(one.items, api, name, depth + 1)];
  if (one.type === "integer" || one.type === "number") return one.minimum ?? 1;
  if (one.type === "boolean") return true;
  if (one.type === "object" || one.properties) {
    const fields = fieldsOf(one, api);
    const needed = fields.filter((field) => field.required);
    return Object.fromEntries(
      (needed.length ? needed : depth ? [] : fields.slice(0, 3)).map((field) => [
        field.name,
        exampleOf(field.schema, api, field.name, depth + 1),
      ]),
    );
  }
  return "text";
}
