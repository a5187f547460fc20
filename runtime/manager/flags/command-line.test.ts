import fc from "fast-check";
import { describe, expect, expectTypeOf, it } from "vitest";
import { parseDuration } from "../../../kubernetes/values/duration.ts";
import { byteSize, parseByteSize } from "./byte-size.ts";
import { type FlagTable, parseCommandLine } from "./command-line.ts";
import { duration, showDuration } from "./duration.ts";
import { boolean, integer, listOf, oneOf, port, text } from "./flag-type.ts";
import { flagHelp } from "./help.ts";

const table = {
  a: {
    title: "A",
    flags: {
      name: { name: "name", summary: "A name.", type: text },
      port: { name: "port", summary: "A port.", type: port, default: 9002 },
    },
  },
  b: {
    title: "B",
    flags: {
      secure: { name: "secure", summary: "With TLS.", type: boolean, default: true },
      level: { name: "v", shorthand: "v", summary: "Level.", type: integer(0, 9), default: 2 },
      wait: { name: "wait", summary: "Waits.", type: duration, default: 30_000 },
      ports: { name: "ports", summary: "Ports.", type: listOf(port), default: [] },
    },
  },
} satisfies FlagTable;

const parse = (...args: string[]) => parseCommandLine(table, args);

describe("syntax of Go's flags", () => {
  it.each([
    [[], {}],
    [["--name", "a"], { name: "a" }],
    [["--name=a=b"], { name: "a=b" }],
    [["--name", "--port"], { name: "--port" }],
    [["--secure"], { secure: true }],
    [["--secure=false"], { secure: false }],
    [["--secure=0"], { secure: false }],
    [["-v", "4"], { level: 4 }],
    [["-v=4"], { level: 4 }],
    [["-v4"], { level: 4 }],
    [["--v=4"], { level: 4 }],
    [["--port=1", "--port=2"], { port: 2 }],
    [["--ports=3000,3001,3000"], { ports: [3000, 3001] }],
  ])("the arguments %j are parsed as in Go", (args, expected) => {
    const { values, problems, given } = parse(...args);
    expect(problems).toEqual([]);
    const byDefault = {
      name: undefined,
      port: 9002,
      secure: true,
      level: 2,
      wait: 30_000,
      ports: [],
    };
    expect({ ...values.a, ...values.b }).toEqual({ ...byDefault, ...expected });
    const flags = { ...table.a.flags, ...table.b.flags };
    expect([...given]).toEqual(Object.keys(expected).map((key) => flags[key as "name"]));
  });

  it("values have the types of their flags", () => {
    const { values } = parse();
    expectTypeOf(values.a.port).toEqualTypeOf<number>();
    expectTypeOf(values.a.name).toEqualTypeOf<string | undefined>();
    expectTypeOf(values.b.ports).toEqualTypeOf<readonly number[]>();
  });

  it("a repeated flag keeps every value, and a missing required flag is a problem", () => {
    const flags = {
      each: { name: "each", summary: "Each.", type: port, repeated: true },
      needed: { name: "needed", summary: "Needed.", type: text, required: "give --needed" },
    } as const;
    const of = (...args: string[]) => parseCommandLine({ all: { title: "All", flags } }, args);
    const { values, problems } = of("--each=1", "--needed=x", "--each=2");
    expect(values).toEqual({ all: { each: [1, 2], needed: "x" } });
    expect(problems).toEqual([]);
    expectTypeOf(values.all.each).toEqualTypeOf<readonly number[]>();
    expectTypeOf(values.all.needed).toEqualTypeOf<string>();
    expect(of().problems).toEqual(["give --needed"]);
    expect(of().values.all.each).toEqual([]);
  });

  it("--help and -h request the help", () => {
    expect(parse("--help").help).toBe(true);
    expect(parse("-h").help).toBe(true);
  });
});

it("all problems of a command line are reported together", () => {
  expect(
    parse("--port=x", "--nmae", "--secure", "false", "pod", "--wait=5", "--ports=1,x", "--name")
      .problems,
  ).toEqual([
    '--port: "x" was given; give a whole number from 0 to 65535',
    "--nmae: unknown flag; --help lists all",
    'unexpected argument "false"; write --secure=false',
    'unexpected argument "pod"; only flags are taken',
    '--wait: "5" was given; give a duration such as 50ms, 30s or 1m30s',
    '--ports: "1,x" was given; give a comma-separated list, each a whole number from 0 to 65535',
    "--name: no value was given; give a string that is not empty",
  ]);
});

it("the help lists flags by group, with defaults", () => {
  expect(flagHelp(table)).toBe(
    [
      "A:",
      "  --name TEXT",
      "      A name.",
      "  --port PORT (default 9002)",
      "      A port.",
      "",
      "B:",
      "  --secure (default true)",
      "      With TLS.",
      "  -v, --v N (default 2)",
      "      Level.",
      "  --wait DURATION (default 30s)",
      "      Waits.",
      "  --ports PORT,...",
      "      Ports.",
      "",
    ].join("\n"),
  );
});

describe("flag values", () => {
  it.each([
    ["0", 0],
    ["50ms", 50],
    ["1m30s", 90_000],
    ["1.5h", 5_400_000],
    [".5s", 500],
    ["100us", 0.1],
    ["", undefined],
    ["5", undefined],
    ["5 s", undefined],
    ["s", undefined],
    ["1s2", undefined],
    ["x1s", undefined],
    ["-1s", undefined],
  ])("parseDuration(%j) returns %s", (written, milliseconds) =>
    expect(parseDuration(written)).toBe(milliseconds),
  );

  it("a duration that was formatted is parsed to the same value", () => {
    fc.assert(
      fc.property(fc.nat(10_000_000), (ms) => {
        expect(parseDuration(showDuration(ms))).toBe(ms);
      }),
    );
  });

  it.each([
    ["4194304", 4_194_304],
    ["10MiB", 10 * 2 ** 20],
    ["10Mi", 10 * 2 ** 20],
    ["25MB", 25e6],
    ["1GB", 1e9],
    ["2GiB", undefined],
    ["-1", undefined],
    ["MB", undefined],
    ["1.5M", undefined],
  ])("parseByteSize(%j) returns %s", (written, bytes) => {
    expect(parseByteSize(written)).toBe(bytes);
    expect(byteSize.parse(written)).toBe(bytes);
  });

  it.each(["65536", "-1", "0x10", "1e3", ""])("port rejects %j", (written) =>
    expect(port.parse(written)).toBeUndefined(),
  );

  it("oneOf accepts only its words", () => {
    expect(oneOf("a", "b").parse("b")).toBe("b");
    expect(oneOf("a", "b").parse("c")).toBeUndefined();
  });
});
