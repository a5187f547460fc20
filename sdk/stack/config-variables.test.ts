import { expect, it } from "vitest";
import { startedBy } from "../engines/command-line/started-programs.ts";
import { readStack } from "./stack.ts";
import { unknownValue } from "./unknown-value.ts";
import { engineOfPods } from "./workloads.ts";

const map = (name: string, data: object, namespace = "ml") => ({
  ...{ apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data },
});
const from = (name: string, prefix?: string) => ({ configMapRef: { name }, prefix });

/** Returns the words that an engine's script expands `$A $B` to. */
function wordsOf(objects: readonly object[], variables: object): string[] {
  const engine = {
    name: "e",
    image: "vllm/vllm-openai:v0.32.0",
    command: ["sh", "-c", "vllm $A $B"],
  };
  const pod = {
    ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "ml" } },
    spec: { containers: [{ ...engine, ...variables }] },
  };
  const [pods] = readStack([pod, ...objects]).workloads.flatMap((workload) => workload.pods);
  const container = pods && engineOfPods(pods)?.container;
  return startedBy(container ?? {}).programs.flatMap(({ args }) =>
    args.map(({ text, isKnown }) => `${isKnown ? "" : "?"}${text}`),
  );
}

it.each<[string, object[], object, string[]]>([
  ["of a ConfigMap", [map("c", { A: "--x 1" })], { envFrom: [from("c")] }, ["--x", "1", "?$B"]],
  ["with a prefix", [map("c", { x: "1" })], { envFrom: [from("c", "A")] }, ["?$A", "?$B"]],
  [
    "of the last ConfigMap",
    [map("c", { A: "1" }), map("d", { A: "2" })],
    { envFrom: [from("c"), from("d")] },
    ["2", "?$B"],
  ],
  [
    "of its own before a ConfigMap",
    [map("c", { A: "1", B: "2" })],
    { env: [{ name: "A", value: "0" }], envFrom: [from("c")] },
    ["0", "2"],
  ],
  [
    "of a key of a ConfigMap",
    [map("c", { k: "1" })],
    { env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "c", key: "k" } } }] },
    ["1", "?$B"],
  ],
  ["of another namespace", [map("c", { A: "1" }, "x")], { envFrom: [from("c")] }, ["?$A", "?$B"]],
  [
    "of a ConfigMap and a Secret",
    [map("c", { A: "1" })],
    { envFrom: [from("c"), { secretRef: { name: "s" } }] },
    ["1", "?$B"],
  ],
  [
    "that are not known yet",
    [map("c", { A: unknownValue })],
    { envFrom: [from("c")] },
    ["?$A", "?$B"],
  ],
  [
    "of two ConfigMaps of one name",
    [map("c", { A: "1" }), map("c", { A: "2" })],
    { envFrom: [from("c")] },
    ["?$A", "?$B"],
  ],
])("a container gets the variables %s", (_, objects, variables, words) => {
  expect(wordsOf(objects, variables)).toEqual(words);
});
