import { expect, it } from "vitest";
import { productCode, withoutComments } from "../scripts/walls/product-code.ts";

/** Files that define keys, with their purpose. */
const definitions: Readonly<Record<string, string>> = {
  "sdk/names.ts": "keys that plans write",
  "sdk/topology/multi-cluster-names.ts": "keys of several clusters",
  "scheduling/label-keys.ts": "keys of pods that the picker reads",
  "sdk/platform/prerequisites.ts": "Go modules of prerequisites, one of which has such a domain",
  "kubernetes/values/accelerators.ts": "resources of devices, whose vendors have such domains",
};

const product = productCode();

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

/** Returns the literal keys in code without comments. Imports of the package do not count. */
const keysIn = (code: string): string[] =>
  code.replaceAll(/\bfrom ".*"|require\(.*\)/g, "").match(key) ?? [];

it("keysIn finds a key in quotes and in a template", () => {
  expect(keysIn('const a = "fusioninfer.io/service"; const b = `llm-d.ai/role`;')).toHaveLength(2);
  expect(
    keysIn(
      withoutComments('/** "fusioninfer.io/service" */ import { a } from "pulumi-inference/sdk";'),
    ),
  ).toEqual([]);
});

it("only files that define keys contain the key of a label or annotation", () => {
  expect(product.size).toBeGreaterThan(500);
  const found = [...product]
    .filter(([file]) => !Object.hasOwn(definitions, file))
    .flatMap(([file, code]) => keysIn(code).map((text) => `${file}: ${text}`));
  expect(found).toEqual([]);
});
