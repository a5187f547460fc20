import { isParserName } from "../../../scheduling/plugins/parsers.ts";
import { parserPaths, type RequestApi } from "../../../sdk/routing/api-paths.ts";

/** The parser that reads a request; without an API it passes the body unread. */
export interface ParserChoice {
  readonly parser: string;
  readonly api: RequestApi | undefined;
}

/**
 * The parser that reads the longest suffix of the path, else the one that takes everything.
 * @param path of the request; a query string and a trailing slash do not count.
 */
export function parserOfPath(path: string, parsers: readonly string[]): ParserChoice | undefined {
  const trimmed = withoutQuery(path).trim();
  const segments = `/${trimmed.endsWith("/") ? trimmed.slice(0, -1) : trimmed}`;
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

/** The first of the parsers that reads one of the APIs, the likelier APIs first. */
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

/** Whether one of the parsers reads bodies at all. */
export const readBodies = (parsers: readonly string[]): boolean =>
  parsers.some((parser) => pathsOf(parser).length > 0);

function fallbackParser(parsers: readonly string[]): ParserChoice | undefined {
  const parser = parsers.find((type) => isParserName(type) && pathsOf(type).length === 0);
  return parser === undefined ? undefined : { parser, api: undefined };
}

function withoutQuery(path: string): string {
  const query = path.indexOf("?");
  return query < 0 ? path : path.slice(0, query);
}

/** By parser: how the paths end that it reads. */
const endsOf = new Map(
  Object.entries(parserPaths).map(([parser, paths]) => [
    parser as string,
    paths.map(({ suffix, api }) => ({ end: `/${suffix}`, api })),
  ]),
);

const pathsOf = (parser: string) => (isParserName(parser) ? parserPaths[parser] : []);
