import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "../..");

/** Files that define keys, with their purpose. */
const definitions: Readonly<Record<string, string>> = {
  "sdk/topology/names.ts": "keys that plans write",
  "sdk/topology/multi-cluster-names.ts": "keys of several clusters",
  "scheduling/label-keys.ts": "keys of pods that the picker reads",
  "kubernetes/values/accelerators.ts": "resources of devices, whose vendors have such domains",
};

const product = globSync(
  "{kubernetes,sdk,scheduling,components,engine,cli,runtime,policies}/**/*.ts",
  { cwd: root, exclude: (name) => /node_modules|dist$/.test(name) },
).filter((file) => !/\.(test|fixture|soak|behaviour|cases)\.ts$|\/fixtures\//.test(file));

/**
 * Domains of labels and annotations of this project, the designs that it implements, and the controllers that it plans
 * for.
 */
const domains = [
  "fusioninfer.io",
  "pulumi-inference",
  "llm-d.ai",
  "inference.networking.k8s.io",
  "inference.networking.x-k8s.io",
  "leaderworkerset.sigs.k8s.io",
  "modelserving.volcano.sh",
  "scheduling.k8s.io",
  "scheduling.volcano.sh",
  "volcano.sh",
];

const key = new RegExp(
  `["\`](${domains.join("|").replaceAll(".", "\\.")})/(?!v\\d)[a-z][a-z0-9-]+["\`]`,
  "g",
);

/** Returns the literal keys in a source. Comments and imports of the package do not count. */
function keysIn(source: string): string[] {
  const code = source.replaceAll(/\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$|\bfrom ".*"|require\(.*\)/gm, "");
  return code.match(key) ?? [];
}

it("keysIn finds a key in quotes and in a template", () => {
  expect(keysIn('const a = "fusioninfer.io/service"; const b = `llm-d.ai/role`;')).toHaveLength(2);
  expect(
    keysIn('/** "fusioninfer.io/service" */ import { a } from "pulumi-inference/sdk";'),
  ).toEqual([]);
});

it("only files that define keys contain the key of a label or annotation", () => {
  expect(product.length).toBeGreaterThan(500);
  const found = product
    .filter((file) => !Object.hasOwn(definitions, file))
    .flatMap((file) =>
      keysIn(readFileSync(join(root, file), "utf8")).map((text) => `${file}: ${text}`),
    );
  expect(found).toEqual([]);
});
