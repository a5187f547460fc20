export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** Its text without its children's text, as readers see it. */
  text: string;
}

const character = String.raw`(?:[^<&]|&(?:amp|lt|gt|quot|#\d+);)`;
const attribute = String.raw`\s+[A-Za-z:][\w:-]*="(?:(?!")${character})*"`;
const token = new RegExp(
  String.raw`<([A-Za-z][\w:-]*)((?:${attribute})*)\s*(/?)>|</([A-Za-z][\w:-]*)>|(${character}+)`,
  "uy",
);
const invalid = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;
const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };

/**
 * Reads XML without declarations, comments and CDATA, which generated SVGs do not contain.
 *
 * @returns every element in the order of its start
 * @throws Error for text that is not well-formed
 */
export function elementsOf(xml: string): XmlElement[] {
  const wrong = invalid.exec(xml);
  if (wrong !== null) throw new Error(`a character that XML does not have at ${wrong.index}`);
  const elements: XmlElement[] = [];
  const open: XmlElement[] = [];
  let at = 0;
  while (at < xml.length) {
    token.lastIndex = at;
    const match = token.exec(xml);
    if (match === null) throw new Error(`not well-formed at ${at}: ${xml.slice(at, at + 60)}`);
    const [whole, name, written = "", isEmpty, closed, text] = match;
    const parent = open.at(-1);
    if (name !== undefined) {
      if (parent === undefined && elements.length > 0) throw new Error("a second root");
      const element = { name, attributes: attributesOf(written), text: "" };
      elements.push(element);
      if (isEmpty !== "/") open.push(element);
    } else if (closed !== undefined) {
      if (open.pop()?.name !== closed) throw new Error(`</${closed}> at ${at} ends nothing`);
    } else if (parent !== undefined) {
      parent.text += decoded(text ?? "");
    } else if (text?.trim() !== "") {
      throw new Error(`text outside the root at ${at}`);
    }
    at += whole.length;
  }
  if (open.length > 0 || elements.length === 0) throw new Error("the root does not end");
  return elements;
}

function attributesOf(written: string): Record<string, string> {
  const pairs = [...written.matchAll(/([\w:-]+)="([^"]*)"/g)];
  const names = pairs.map(([, name]) => name);
  if (new Set(names).size < names.length) throw new Error(`an attribute twice: ${written}`);
  return Object.fromEntries(pairs.map(([, name = "", value = ""]) => [name, decoded(value)]));
}

const decoded = (text: string) =>
  text.replaceAll(/&(?:(\w+)|#(\d+));/g, (_, name, code) =>
    code === undefined ? (entities[name] as string) : String.fromCodePoint(Number(code)),
  );
