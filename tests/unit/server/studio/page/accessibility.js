// What axe looks for, in small: returns a list of what is wrong with the page as it is shown.
() => {
  const wrong = [];
  const say = (rule, element, more = "") => {
    const text = (element?.textContent ?? "").trim().slice(0, 30);
    wrong.push(`${rule}: <${element?.tagName?.toLowerCase()} class="${element?.getAttribute?.("class") ?? ""}"> ${text} ${more}`);
  };
  const visible = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest("[aria-hidden=true]");
  const all = (selector) => [...document.querySelectorAll(selector)].filter(visible);

  // The page, its landmarks and its headings.
  if (!document.documentElement.lang) wrong.push("lang: the page has no language");
  if (!document.title) wrong.push("title: the page has none");
  if (all("main").length !== 1) wrong.push("landmarks: there must be one main");
  if (all("header").length !== 1) wrong.push("landmarks: there must be one header");
  const outside = [...document.body.children].filter((one) => visible(one) && one.textContent.trim()
    && !one.matches("header, main, [aria-live], [role=alert], .skip, script, noscript"));
  for (const one of outside) say("landmarks: content outside of all", one);
  let level = 0;
  const headings = all("h1, h2, h3, h4, h5, h6");
  if (headings.filter((one) => one.tagName === "H1").length !== 1) wrong.push("headings: there must be one h1");
  for (const one of headings) {
    const mine = Number(one.tagName[1]);
    if (mine > level + 1) say(`headings: from ${level} to ${mine}`, one);
    level = mine;
  }

  // Names.
  const nameOf = (element) => {
    const by = element.getAttribute("aria-labelledby");
    if (by) return by.split(" ").map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
    const said = element.getAttribute("aria-label");
    if (said) return said;
    if (element.matches("input, select, textarea")) {
      const own = element.labels?.[0]?.textContent ?? "";
      return own || element.getAttribute("title") || "";
    }
    if (element.matches("img")) return element.getAttribute("alt") ?? "";
    return element.textContent || element.getAttribute("title") || "";
  };
  const controls = all("a[href], button, input, select, textarea, summary, [role=button], [role=tab], [role=gridcell]");
  for (const one of controls) if (!nameOf(one).trim()) say("name: a control has none", one);
  for (const one of all("img")) if (one.getAttribute("alt") === null) say("alt: a picture has none", one);
  for (const one of all("nav, section[aria-label], [role=group], [role=region], [role=tablist], [role=radiogroup], [role=img], [role=grid]")) {
    if (!one.getAttribute("aria-label") && !one.getAttribute("aria-labelledby")) say("name: a part has none", one);
  }
  for (const one of all("[tabindex='0']")) {
    if (!one.matches("[role], a, button, input, select, textarea, pre, code, summary")) say("role: what can be focused has none", one);
  }
  for (const one of all("button, [role=button], a[href]")) {
    if (one.querySelector("button, a[href], input, select, textarea")) say("nested: a control in a control", one);
  }

  // Ids and what refers to them.
  const ids = new Map();
  for (const { id } of document.querySelectorAll("main [id], header [id], body > [id]")) ids.set(id, (ids.get(id) ?? 0) + 1);
  for (const [id, count] of ids) if (id && count > 1) wrong.push(`ids: ${id} is there ${count} times`);
  for (const attribute of ["aria-labelledby", "aria-controls", "aria-describedby", "for"]) {
    for (const one of all(`[${attribute}]`)) {
      for (const id of one.getAttribute(attribute).split(" ")) {
        if (!document.getElementById(id)) say(`ids: ${attribute} leads nowhere (${id})`, one);
      }
    }
  }
  for (const one of all("[lang]")) {
    try {
      if (one.lang) Intl.getCanonicalLocales(one.lang);
    } catch {
      say(`lang: ${one.lang} is no language`, one);
    }
  }

  // Contrast, from the colours that are painted.
  const pen = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const rgba = (colour) => {
    if (!known.has(colour)) {
      pen.clearRect(0, 0, 1, 1);
      pen.fillStyle = colour;
      pen.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
      known.set(colour, [r, g, b, a / 255]);
    }
    return known.get(colour);
  };
  const over = ([r, g, b, a], under) => [r, g, b].map((value, at) => value * a + under[at] * (1 - a));
  const ground = (element) => {
    const layers = [];
    for (let one = element; one; one = one.parentElement) {
      const rect = one.matches("svg .node") ? one.querySelector("rect") : null;
      const paint = rgba(rect ? getComputedStyle(rect).fill : getComputedStyle(one).backgroundColor);
      if (paint[3] > 0) layers.push(paint);
      if (paint[3] === 1) break;
    }
    return layers.reduceRight((under, paint) => over(paint, under), [255, 255, 255]);
  };
  const light = (colour) => {
    const [r, g, b] = colour.map((value) => value / 255).map((value) => (value <= .04045 ? value / 12.92 : ((value + .055) / 1.055) ** 2.4));
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const shaded = (element) => {
    let opacity = 1;
    for (let one = element; one; one = one.parentElement) opacity *= Number(getComputedStyle(one).opacity);
    return opacity;
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const told = new Set();
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || told.has(element) || !visible(element) || element.closest(".unseen, .skip, :disabled, option, script, noscript")) continue;
    told.add(element);
    const style = getComputedStyle(element);
    const [r, g, b, a] = rgba(element instanceof SVGElement ? style.fill : style.color);
    const under = ground(element);
    const front = over([r, g, b, a * shaded(element)], under);
    const [high, low] = [light(front), light(under)].sort((one, other) => other - one);
    const ratio = (high + .05) / (low + .05);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) say(`contrast ${ratio.toFixed(2)}`, element, `${style.color} on ${under.map(Math.round)}`);
  }

  // What is to be hit must be large enough; words in running text are not counted.
  for (const one of all("button, select, input:not([type=range], [type=radio], [type=file]), [role=tab]")) {
    const { width, height } = one.getBoundingClientRect();
    if (width < 24 || height < 24) say(`size: ${Math.round(width)} × ${Math.round(height)}`, one);
  }
  if (document.documentElement.scrollWidth > innerWidth) wrong.push(`width: the page is ${document.documentElement.scrollWidth} wide`);
  return wrong;
}
