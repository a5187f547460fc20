import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { compilerProblems } from "../testing/programs/compile.ts";
import { repositoryRoot } from "../testing/repository.ts";

/** A variant as CONTRIBUTING.md describes one: an object in a file of its own, and a line in a registry. */
interface Variant {
  readonly folder: string;
  /** Imports from other files for the object. */
  readonly imports?: string;
  /** An expression with every field that is needed. */
  readonly complete: string;
  /** The file of the registry, and the text in it that variants follow. */
  readonly registry: readonly [file: string, begin: string];
  /** Parts of the expression, and how the compiler's message begins without one. */
  readonly lacking: Readonly<Record<string, string>>;
}

const variants: Readonly<Record<string, Variant>> = {
  executor: {
    folder: "sdk/engines/groups",
    complete: `{ title: "T", engine: undefined, bootstrap: undefined, adds: "nothing" } as const`,
    registry: ["sdk/engines/groups/index.ts", "export const executors = {"],
    lacking: {
      ", bootstrap: undefined": "Property 'bootstrap' is missing in type",
      ', adds: "nothing"': "Property 'adds' is missing in type",
    },
  },
  engine: {
    folder: "sdk/engines",
    imports: `import type { Engine } from "./interface/engine.ts";`,
    complete: `{
      title: "T", versionOf: () => undefined, serverArguments: () => undefined, image: /t/, startsWithoutArguments: true,
      syntax: { options: new Map(), spelling: (name: string) => name, abbreviates: false, nests: false, takesModel: false },
      limits: new Map(), paths: /^\\/health$/, port: 1, host: "0.0.0.0", healthPath: "/health", speaksGrpc: () => false,
      model: () => undefined, copiesUse: () => "further" as const, transfer: undefined,
      modelFactors: { tensor: undefined, pipeline: undefined, context: undefined },
      copies: { data: undefined, dataLocal: undefined },
      memoryOption: "--memory", requestSlots: { option: "--slots", byDefault: () => undefined }, releases: undefined, keys: undefined, groupOptions: [],
      advertisedHosts: { always: [], inGroups: [] },
      imageFiles: /^$/, inputFiles: [], metrics: undefined, hostCache: undefined, requestedAdapters: undefined,
      drain: undefined, takesKvEvents: false, groupExecutor: () => undefined, longerContext: undefined, checks: {},
      divideBy: () => (ranks: number) => ({ attention: ranks, dense: ranks, shared: ranks, experts: ranks }), wholeExperts: "W",
      serving: {
        image: () => undefined, command: () => undefined, labels: {}, args: () => [], optionFields: {}, env: () => [],
        stagesCopies: true, faults: () => [],
        partRanks: ({ tensor }: { tensor: number }) => ({ attention: tensor, dense: tensor, shared: tensor, experts: tensor }),
        memory: () => { throw new Error("no device"); },
      },
    }`,
    registry: ["sdk/engines/index.ts", "export const engines = {"],
    lacking: {
      ' healthPath: "/health",': "Property 'healthPath' is missing in type",
      ", dataLocal: undefined": "Property 'dataLocal' is missing in type",
    },
  },
  gateway: {
    folder: "sdk/gateways",
    imports: `import { gatewayKind } from "./gateway-kind.ts";`,
    complete: `{
      title: "T",
      ownKinds: {},
      pools: {
        classes: [], proxies: "outside", pickerTimeoutSeconds: 5, reachesTls: false,
        objects: () => [], planned: "nothing", source: "S",
      },
      imports: undefined,
    } as const`,
    registry: ["sdk/gateways/index.ts", "export const gateways = {"],
    lacking: {
      "ownKinds: {},": "Property 'ownKinds' is missing in type",
      "imports: undefined,": "Property 'imports' is missing in type",
      ' proxies: "outside",': "Property 'proxies' is missing in type",
    },
  },
  kind: {
    folder: "kubernetes/kinds",
    imports: `import { defineKind } from "./kind.ts";`,
    complete: `defineKind({
      group: "", version: "v1", kind: "Pod", plural: "pods", scope: "Namespaced", readiness: "exists",
    })`,
    registry: ["kubernetes/kinds/index.ts", "export const kinds = {"],
    lacking: {
      ', readiness: "exists"': "Property 'readiness' is missing in type",
      ' plural: "pods",': "Property 'plural' is missing in type",
    },
  },
  "child kind": {
    folder: "components/nodes",
    imports: `import { core } from "@pulumi/kubernetes";`,
    complete:
      "{ isTyped: false, class: core.v1.Pod, after: [], awaited: () => undefined } as const",
    registry: ["components/nodes/child-kinds.ts", "export const childKinds = {"],
    lacking: {
      " after: [],": "Property 'after' is missing in type",
      " class: core.v1.Pod,": "Property 'class' is missing in type",
    },
  },
  "plugin of the picker": {
    folder: "scheduling/plugins",
    imports: `import { pluginType } from "../profiles/plugin.ts";`,
    complete: `pluginType({
      type: "t-scorer", kinds: ["scorer"], summary: "S",
      create: () => ({ scorer: { score: () => [] } }),
    })`,
    registry: [
      "scheduling/plugins/index.ts",
      "export const pluginTypes: readonly PluginType[] = [",
    ],
    lacking: {
      ' summary: "S",': "Property 'summary' is missing in type",
    },
  },
  "rule of specs": {
    folder: "sdk/rules/spec",
    complete: `{
      id: "t", title: "T", why: "W", source: "S", code: "count", check: () => [],
    } as const`,
    registry: [
      "sdk/rules/spec/index.ts",
      "export const inferenceServiceRules: ReadonlyArray<Invariant<PartialSpec>> = [",
    ],
    lacking: {
      ' source: "S",': "Property 'source' is missing in type",
      " check: () => [],": "Property 'check' is missing in type",
    },
  },
  "rule of planned objects": {
    folder: "sdk/rules/objects",
    imports: `import { rulesOfPack, wholeStack } from "../helpers/stack-rule.ts";`,
    complete: `rulesOfPack("inference-gang").stackRule(
      { id: "t", code: "count", guidelines: [] },
      { title: "T", why: "W", source: "S", fix: "F" },
      wholeStack,
      () => [],
    )`,
    registry: ["sdk/rules/objects/index.ts", "export const stackRules: readonly StackRule[] = ["],
    lacking: {
      ', fix: "F"': "Property 'fix' is missing in type",
      " wholeStack,": "Expected 4-5 arguments, but got 3.",
    },
  },
};

/** The parts that are left out: none, and each in turn. */
const omissions = ({ lacking }: Variant) => ["", ...Object.keys(lacking)];

describe("a new variant is one file and one line of a registry, and the compiler names what it lacks", () => {
  let said: ReadonlyMap<string, readonly string[]>;
  beforeAll(() => {
    said = compiled();
  });

  it.each(Object.keys(variants))("a complete %s compiles", (name) => {
    expect(said.get(`${name} without `)).toEqual([]);
  });

  it.each(
    Object.entries(variants).flatMap(([name, { lacking }]) =>
      Object.entries(lacking).map(([part, says]) => [name, part.trim(), says, part] as const),
    ),
  )("a %s without `%s` does not compile: `%s`", (name, _, says, part) => {
    expect(said.get(`${name} without ${part}`)).toEqual([expect.stringContaining(says)]);
  });

  it("a kind that no component creates does not compile, unless it is the extra kind of a gateway", () => {
    const problems = compilerProblems(
      new Map([
        ["sdk/gateways/own.ts", gatewayWithItsKind],
        registered("sdk/gateways/index.ts", "export const gateways = {", "own", "./own.ts"),
        registered("kubernetes/kinds/index.ts", "export const kinds = {", "Unmade: gateway"),
        ...[
          "components/nodes/child-kinds.ts",
          "components/pools/pool-node-keys.ts",
          "sdk/crds/personas.ts",
        ].map((file) => [file, textOf(file)] as const),
      ]),
    );
    // Only one property is missing: components create the gateway's extra kind.
    expect(problems[0]?.text).toContain("Property 'Unmade' is missing in type");
    expect(problems.filter(({ file }) => file !== "components/nodes/child-kinds.ts")).toEqual([]);
  });
});

/** A gateway that needs an object of a kind that it alone has. */
const gatewayWithItsKind = `
  import type { Gateway } from "./gateway.ts";
  import { gatewayKind } from "./gateway-kind.ts";
  const ownKinds = {
    OwnPolicy: gatewayKind(
      { group: "own.example", version: "v1", kind: "OwnPolicy", plural: "ownpolicies" },
      ["Service"],
    ),
  } as const;
  export const own = {
    title: "T",
    ownKinds,
    pools: {
      classes: [], proxies: "outside", pickerTimeoutSeconds: 5, reachesTls: false,
      planned: "OwnPolicy", source: "S",
      objects: ({ name, metadata }) => [
        { apiVersion: ownKinds.OwnPolicy.apiVersion, kind: "OwnPolicy", metadata: metadata(name) },
      ],
    },
    imports: undefined,
  } as const satisfies Gateway;`;

/** A registry with a line more, and with an import for it. */
function registered(file: string, begin: string, line: string, from?: string) {
  const imported = from === undefined ? "" : `import { ${line} } from "${from}";\n`;
  return [file, imported + replaced(textOf(file), begin, `${begin}\n${line},`)] as const;
}

/** Returns the compiler's errors for each variant, in its own file or on its line of the registry. */
function compiled(): Map<string, string[]> {
  const texts = new Map<string, string>();
  const subjects = new Map<string, string>();
  for (const [name, variant] of Object.entries(variants)) {
    const { folder, imports = "", complete, registry } = variant;
    const [file, begin] = registry;
    const parts = omissions(variant);
    for (const [at, part] of parts.entries()) {
      const own = `${folder}/variant${at}.ts`;
      texts.set(own, `${imports}\nexport const variant${at} = ${replaced(complete, part, "")};\n`);
      for (const place of [own, `${file} variant${at},`]) {
        subjects.set(place, `${name} without ${part}`);
      }
    }
    const entries = parts.map((_, at) => `variant${at},`);
    const written = textOf(file);
    const imported = parts.map((_, at) => `import { variant${at} } from "./variant${at}.ts";\n`);
    const registered = replaced(written, begin, [begin, ...entries, ""].join("\n"));
    texts.set(file, imported.join("") + registered);
  }
  const said = new Map([...subjects.values()].map((name) => [name, [] as string[]]));
  for (const { file, line, text } of compilerProblems(texts)) {
    const place = `${file} ${texts.get(file)?.split("\n")[line - 1]}`;
    said.get(subjects.get(file) ?? subjects.get(place) ?? "")?.push(text);
  }
  return said;
}

const textOf = (path: string) => readFileSync(join(repositoryRoot, path), "utf8");

function replaced(text: string, part: string, by: string): string {
  if (!text.includes(part)) throw new Error(`there is no "${part}" in ${text}`);
  return text.replace(part, by);
}
