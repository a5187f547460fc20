import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { limits } from "../../limits.ts";
import { MetricsScanner, type Series } from "./metrics-scanner.ts";

const scan = (page: string | Buffer, ...families: string[]): Series[] => {
  const found: Series[] = [];
  new MetricsScanner(families).scan(Buffer.from(page), (series) => found.push(series));
  return found;
};
const one = (line: string) => scan(line, "m")[0];
const series = (value: number, labels: Record<string, string> = {}, timestamp?: number) => ({
  family: "m",
  labels: new Map(Object.entries(labels)),
  value,
  timestamp,
});

it("C2: a line beyond the limit is skipped, and the next one is read", () => {
  const line = (bytes: number) => {
    const end = '"} 1';
    return `m{a="`.padEnd(bytes - end.length, "x") + end;
  };
  const most = limits.metricsLine.value;
  expect(scan(`${line(most)}\nm 2`, "m").map(({ value }) => value)).toEqual([1, 2]);
  expect(scan(`${line(most + 1)}\nm 2`, "m").map(({ value }) => value)).toEqual([2]);
});

describe("a line of a metrics page", () => {
  it.each([
    ["m 3", series(3)],
    ["m\t3.5e1 ", series(35)],
    ["m -0.25 1700000000000", series(-0.25, {}, 1_700_000_000_000)],
    ["m +Inf", series(Number.POSITIVE_INFINITY)],
    ["m{} 1", series(1)],
    ['m{a="b"} 1', series(1, { a: "b" })],
    ['m{a="b",} 1', series(1, { a: "b" })],
    ['m{ a = "b" , c="d, e" } 1', series(1, { a: "b", c: "d, e" })],
    ['m{a="q\\"u\\\\o\\nte}"} 1', series(1, { a: 'q"u\\o\nte}' })],
    ['m{a="b"} 1 # {trace="x"} 0.5', series(1, { a: "b" })],
    ["m 1\r", series(1)],
  ])("the scanner reads the series %s", (line, expected) => {
    expect(one(line)).toEqual(expected);
  });

  it.each([
    "m",
    "m ",
    "m x",
    "m 0x10",
    "m{a=b} 1",
    'm{a="b} 1',
    'm{a="b"c="d"} 1',
    'm{a="b"}1',
    "m1 2",
    "# m 1",
    "mm 1",
    "m 1 2 3 4",
  ])("the scanner ignores %s", (line) => {
    expect(one(line)).toBeUndefined();
  });

  it("the scanner reads NaN as a value", () => {
    expect(one("m NaN")?.value).toBeNaN();
  });
});

it("the scanner finds the given families between other ones, in order", () => {
  const page = '# HELP a x\n# TYPE a gauge\na 1\nab 2\nb_bucket{le="1"} 3\nb 4\n# EOF';
  expect(scan(page, "a", "b").map(({ family, value }) => [family, value])).toEqual([
    ["a", 1],
    ["b", 4],
  ]);
});

/** A simple and slow parser with one expression per line. */
function reference(page: string): Array<[string, Record<string, string>, number]> {
  const line = /^(a|bb):?((?:\{(?:[a-z]+="(?:[^"\\\n]|\\["\\n])*",?)*\})?) (\d+(?:\.\d+)?)$/;
  return page.split("\n").flatMap((text) => {
    const match = line.exec(text);
    if (match === null) return [];
    const labels = [...(match[2] as string).matchAll(/([a-z]+)="((?:[^"\\\n]|\\["\\n])*)"/g)].map(
      ([, name, value]) => [
        name,
        (value as string).replace(/\\(.)/g, (_, c) => (c === "n" ? "\n" : c)),
      ],
    );
    return [[match[1] as string, Object.fromEntries(labels), Number(match[3])]];
  });
}

it("the scanner and the simple parser agree on whole pages", () => {
  const label = fc.tuple(
    fc.stringMatching(/^[a-z]{1,3}$/),
    fc.stringMatching(/^(?:[ -!#-[\]-~]|\\["\\n]){0,6}$/),
  );
  const labels = fc.uniqueArray(label, { maxLength: 3, selector: ([name]) => name });
  const line = fc.oneof(
    fc
      .tuple(fc.constantFrom("a", "bb", "c", "aa"), fc.option(labels), fc.nat(1000))
      .map(
        ([family, list, value]) =>
          `${family}${list === null ? "" : `{${list.map(([n, v]) => `${n}="${v}"`).join(",")}}`} ${value}`,
      ),
    fc.constantFrom("# HELP a b", "", "a{", "bb x", 'a{x="1"}'),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
      const page = lines.join("\n");
      const found = scan(page, "a", "bb").map(({ family, labels, value }) => [
        family,
        Object.fromEntries(labels),
        value,
      ]);
      expect(found).toEqual(reference(page));
    }),
  );
});

it("the scanner does not throw for any bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      scan(Buffer.concat([Buffer.from("m{"), Buffer.from(bytes), Buffer.from('\nm{a="')]), "m");
    }),
  );
});
