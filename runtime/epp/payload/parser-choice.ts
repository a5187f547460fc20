import { isParserName } from "../../../scheduling/plugins/parsers.ts";
import { parserPaths, type RequestApi } from "../../../sdk/routing/api-paths.ts";

/** The parser that reads a request. Without an API it forwards the body unread. */
export interface ParserChoice {
  readonly parser: string;
  readonly api: RequestApi | undefined;
}

/**
 * Returns the parser of the longest suffix of the path, else the parser that accepts everything.
 * @param path path of the request, as the client sent it
 */
export function parserOfPath(path: string, parsers: readonly string[]): ParserChoice | undefined {
  const segments = resolvedPath(path);
  let longest = 0;
  let choice: ParserChoice | undefined;
  for (const parser of parsers) {
    for (const { end, api } of endsOf.get(parser) ?? []) {
      if (end.length <= longest || !segments.endsWith(end)) continue;
      longest = end.length;
      choice = { parser, api };
    }
  }
  return choice ?? fallbackParser(parsers);
}

/** Returns the first parser that reads one of the APIs, which are sorted by decreasing likelihood. */
export function parserOfApi(
  apis: readonly RequestApi[],
  parsers: readonly string[],
): ParserChoice | undefined {
  for (const api of apis) {
    const parser = parsers.find((type) => pathsOf(type).some((path) => path.api === api));
    if (parser !== undefined) return { parser, api };
  }
  return fallbackParser(parsers);
}

/** Whether any of the parsers reads bodies. */
export const readBodies = (parsers: readonly string[]): boolean =>
  parsers.some((parser) => pathsOf(parser).length > 0);

function fallbackParser(parsers: readonly string[]): ParserChoice | undefined {
  const parser = parsers.find((type) => isParserName(type) && pathsOf(type).length === 0);
  return parser === undefined ? undefined : { parser, api: undefined };
}

/**
 * Returns the path as a server or a proxy behind the picker may read it: without query and fragment, percent-decoded
 * once as ASGI servers do, in lower case, without path parameters, empty segments and dot segments. It starts with a
 * slash and ends without one. A server that resolves less responds with 404, so no rule is bypassed.
 */
export function resolvedPath(path: string): string {
  const [sent = ""] = path.trim().split(/[?#]/, 1);
  const decoded = sent.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  const segments: string[] = [];
  for (const segment of decoded.toLowerCase().split(/[/\\]/)) {
    const name = segment.replace(/;.*/, "").trim();
    if (name === "..") segments.pop();
    else if (name !== "" && name !== ".") segments.push(name);
  }
  return `/${segments.join("/")}`;
}

/** Ends of the paths that each parser reads. */
const endsOf = new Map(
  Object.entries(parserPaths).map(([parser, paths]) => [
    parser as string,
    paths.map(({ suffix, api }) => ({ end: `/${suffix}`, api })),
  ]),
);

const pathsOf = (parser: string) => (isParserName(parser) ? parserPaths[parser] : []);
