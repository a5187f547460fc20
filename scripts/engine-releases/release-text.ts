import { type OptionKind, optionKinds } from "../../sdk/engines/options/option-names.ts";
import type { NameLists } from "../../sdk/engines/options/release-data.ts";

/** A release as `read-release.py` prints it. */
export interface ReadRelease extends Readonly<Record<keyof NameLists, readonly string[]>> {
  readonly version: string;
  readonly options: Readonly<Partial<Record<OptionKind, readonly string[]>>>;
  readonly values: Readonly<
    Record<string, { readonly values: readonly string[]; readonly open: boolean }>
  >;
  readonly limits: Readonly<Record<string, readonly string[]>>;
}

const lists = ["variables", "connectors", "architectures", "unstaged"] as const;

/** Options that accept any string. The engine refuses unknown values after it has parsed its arguments. */
const checkedLater = ["--quantization", "--distributed-executor-backend"];

/** Returns the data file of a release: all of it, or its differences from the next newer release. */
export function releaseText(engine: string, release: ReadRelease, newer?: ReadRelease): string {
  const title = { vllm: "vLLM", sglang: "SGLang" }[engine] ?? engine;
  const only = (own: readonly string[], others: readonly string[] = []) =>
    own.filter((name) => !others.includes(name));
  const options = optionKinds.flatMap((kind) => {
    const names = only(release.options[kind] ?? [], newer?.options[kind]);
    return names.length === 0 ? [] : [`    ${kind}: ${list(names, 6)},`];
  });
  const own = lists.flatMap((name) => {
    const names = only(release[name], newer?.[name]);
    return names.length === 0 ? [] : [`  ${name}: ${list(names, 4)},`];
  });
  const values = valuesOf(release);
  const others = newer === undefined ? {} : valuesOf(newer);
  const changed = [...new Set([...Object.keys(values), ...Object.keys(others)])]
    .filter((name) => values[name] !== others[name])
    .sort()
    .map(
      (name) =>
        `    ${JSON.stringify(name)}: ${list((values[name] ?? "").split(" ").filter(Boolean), 6)},`,
    );
  const limits =
    newer === undefined
      ? [
          "  limits: {",
          ...Object.entries(release.limits).map(
            ([limit, names]) => `    ${JSON.stringify(limit)}: ${list(names, 6)},`,
          ),
          "  },",
        ]
      : [];
  const lacks =
    newer === undefined
      ? []
      : [
          [
            "options",
            optionKinds.flatMap((kind) => only(newer.options[kind] ?? [], release.options[kind])),
          ] as const,
          ...lists.map((name) => [name, only(newer[name], release[name])] as const),
        ].flatMap(([name, names]) =>
          names.length === 0 ? [] : [`    ${name}: ${list(names, 6)},`],
        );
  const differences = newer === undefined ? "" : `: the differences from ${newer.version}`;
  return [
    `import type { ReleaseData } from "./release-data.ts";`,
    "",
    `/** ${title} ${release.version}${differences}. Made by \`npm run engine-releases\` from the wheel on PyPI. */`,
    "export const release: ReleaseData = {",
    `  version: "${release.version}",`,
    ...(options.length === 0 ? ["  options: {},"] : ["  options: {", ...options, "  },"]),
    ...(changed.length === 0 ? ["  values: {},"] : ["  values: {", ...changed, "  },"]),
    ...limits,
    ...own,
    ...(lacks.length === 0 ? [] : ["  lacks: {", ...lacks, "  },"]),
    "};",
    "",
  ].join("\n");
}

/** Returns the values of options that refuse all others. */
const valuesOf = ({ values }: ReadRelease): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([name, { open }]) => !open || checkedLater.includes(name))
      .map(([name, each]) => [name, each.values.join(" ")]),
  );

/** Returns a list of names as a template of lines. A short list becomes one line. */
function list(names: readonly string[], indent: number): string {
  const line = JSON.stringify(names.join(" "));
  if (line.length < 60) return line;
  const lines: string[] = [];
  for (const name of names) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + name.length < 90 - indent)
      lines[lines.length - 1] = `${last} ${name}`;
    else lines.push(name);
  }
  const blank = " ".repeat(indent);
  return `\`\n${lines.map((each) => `${blank}${each}\n`).join("")}${blank.slice(2)}\``;
}
