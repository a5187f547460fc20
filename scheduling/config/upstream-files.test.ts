import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseAllDocuments, stringify } from "yaml";
import { formatConfigProblem } from "./config-error.ts";
import { readPickerConfig } from "./read.ts";

interface UpstreamFile {
  /** `repository@commit:path`. */
  readonly file: string;
  readonly config: unknown;
  readonly problems?: readonly string[];
  readonly warnings?: readonly string[];
}

const files = parseAllDocuments(
  readFileSync(join(import.meta.dirname, "upstream-files.fixture.yaml"), "utf8"),
).map((document): UpstreamFile => document.toJS());

const beginnings = (texts: readonly string[], expected: readonly string[]) =>
  texts.map((text, at) => text.slice(0, expected[at]?.length));

it.each(files.map((each) => [each.file, each] as const))(
  "%s has the recorded problems and warnings",
  (_, { config, problems = [], warnings = [] }) => {
    const read = readPickerConfig(stringify(config));
    expect(beginnings(read.problems.map(formatConfigProblem), problems)).toEqual(problems);
    expect(beginnings(read.warnings, warnings)).toEqual(warnings);
    expect(read.config === undefined).toBe(problems.length > 0);
  },
);
