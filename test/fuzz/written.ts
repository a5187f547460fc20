import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { stringify } from "yaml";
import { readYamlDocuments } from "../../cli/input/yaml-documents.ts";
import { newKubernetesClient } from "../../kubernetes/api/client.ts";
import { loadKubeConfig } from "../../kubernetes/api/load-kubeconfig.ts";
import { objectsOf } from "../../runtime/epp/sources/file-objects.ts";
import { readReview } from "../../runtime/programs/pod-plugin-webhook/admission.ts";
import { applyJsonPatch, JsonPatch } from "../../runtime/programs/pod-plugin-webhook/json-patch.ts";
import { loadPickerConfig } from "../../scheduling/config/read.ts";
import { parseInferenceService } from "../../sdk/validate/inference-service.ts";
import { parseKind } from "../../sdk/validate/spec-kind.ts";
import {
  clusterSetSpecKind,
  importedPoolSpecKind,
  inferencePoolSpecKind,
  inferenceRouteSpecKind,
  llmServerPoolSpecKind,
  llmServiceSpecKind,
  modelRewriteSpecKind,
  objectiveSpecKind,
} from "../../sdk/validate/spec-kinds.ts";
import { spoiled, spoiledObject } from "./arbitraries.ts";
import { refused, target } from "./target.ts";

/** Input from people and plugins: manifests, specs, configurations, kubeconfigs, patches. */

/** Objects with the shape of valid objects, and with anything in their fields. */
const manifest = fc.record({
  apiVersion: fc.constantFrom("inference.networking.k8s.io/v1", "v1", "llm-d.ai/v1alpha2", "x"),
  kind: fc.constantFrom("InferencePool", "Pod", "InferenceObjective", "InferenceModelRewrite", "X"),
  metadata: fc.oneof(fc.record({ name: fc.string(), labels: fc.jsonValue() }), fc.jsonValue()),
  spec: fc.jsonValue({ maxDepth: 4 }),
  status: fc.jsonValue(),
});
const manifests = fc
  .array(manifest, { maxLength: 4 })
  .map((objects) => objects.map((object) => stringify(object)).join("---\n"));

const template = { spec: { containers: [{ name: "vllm", image: "vllm/vllm-openai:v0.11.0" }] } };
const service = fc.constant({
  roles: [
    {
      ...{ name: "decode", componentType: "worker", replicas: 2 },
      multinode: { nodeCount: 2 },
      template,
    },
    {
      ...{ name: "router", componentType: "router", routingStrategy: "prefix-cache" },
      httproute: { parentRefs: [{ name: "gateway" }] },
    },
  ],
});
const poolRef = { name: "pool" };
const specs = [
  [inferencePoolSpecKind, { selector: { app: "a" }, targetPorts: [8000] }],
  [llmServerPoolSpecKind, { modelServerSelector: { matchLabels: { app: "a" } } }],
  [llmServiceSpecKind, { poolRef, model: { name: "a", targetModels: [{ name: "b" }] } }],
  [
    modelRewriteSpecKind,
    {
      poolRef,
      rules: [{ matches: [{ model: { value: "a" } }], targets: [{ modelRewrite: "b" }] }],
    },
  ],
  [objectiveSpecKind, { poolRef, priority: 1 }],
  [inferenceRouteSpecKind, { parentRefs: [{ name: "gateway" }], rules: [{ poolRef }] }],
  [importedPoolSpecKind, { clusters: [{ name: "a" }], exportMode: "EndpointMode" }],
  [clusterSetSpecKind, { members: [{ name: "a", exports: ["ml/*"], maxExports: 3 }] }],
] as const;

const user = { name: "u", user: { token: "t", exec: { command: "x", args: [] } } };
const kubeconfig = spoiledObject(
  fc.constant({
    ...{ apiVersion: "v1", kind: "Config", "current-context": "c", users: [user] },
    contexts: [{ name: "c", context: { cluster: "k", user: "u" } }],
    clusters: [{ name: "k", cluster: { server: "https://127.0.0.1:1", "proxy-url": "" } }],
  }),
);
const kubeconfigFile = join(mkdtempSync(join(tmpdir(), "pulumi-inference-fuzz-")), "config");
process.once("exit", () => rmSync(dirname(kubeconfigFile), { recursive: true, force: true }));

const pickerConfig = spoiledObject(
  fc.constant({
    ...{ apiVersion: "llm-d.ai/v1alpha1", kind: "EndpointPickerConfig" },
    plugins: [
      { type: "queue-scorer" },
      { type: "prefix-cache-scorer", parameters: { blockSize: 16 } },
      { type: "max-score-picker" },
      { type: "single-profile-handler" },
    ],
    schedulingProfiles: [{ name: "default", plugins: [{ pluginRef: "queue-scorer", weight: 2 }] }],
  }),
);

const pod = {
  metadata: { name: "p", labels: { a: "b" }, annotations: {} },
  spec: { containers: [{ name: "vllm", env: [{ name: "A", value: "b" }] }] },
};
const review = fc.constant({
  ...{ apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" },
  request: { uid: "u", operation: "CREATE", namespace: "ml", name: "p", object: pod },
});
const pointer = fc.oneof(
  fc.constantFrom("", "/metadata", "/metadata/labels/a", "/spec/containers/0", "/spec/x", "/-"),
  fc.constantFrom("/spec/containers/-", "/__proto__/a", "/metadata/labels/constructor", "a"),
  fc.string().map((text) => `/${text}`),
);
const patch = fc.array(
  fc.record({
    op: fc.constantFrom("add", "replace", "remove", "move", "copy", "test"),
    ...{ path: pointer, from: pointer, value: fc.jsonValue({ maxDepth: 3 }) },
  }),
  { maxLength: 30 },
);
/** Operations in the forms that are allowed: some have no value, and others have no origin. */
const written = (operations: ReadonlyArray<Record<string, unknown>>) =>
  operations.map(({ op, path, from, value }) => ({
    ...{ op, path },
    ...((op === "move" || op === "copy") && { from }),
    ...((op === "add" || op === "replace" || op === "test") && { value }),
  }));

export const writtenTargets = [
  target("manifests of a file source", manifests, (text) => {
    refused(() => objectsOf(text));
  }),
  target(
    "YAML for the command line",
    fc.oneof(manifests, fc.string(), spoiled(manifests.map(Buffer.from)).map(String)),
    (text) => {
      refused(() => readYamlDocuments("-", text));
    },
  ),
  target(
    "specs of all kinds but services",
    fc.oneof(
      ...specs.map(([kind, spec]) =>
        fc.oneof(spoiledObject(fc.constant(spec)), fc.jsonValue()).map((it) => [kind, it] as const),
      ),
    ),
    ([kind, spec]) => {
      refused(() => parseKind(kind as (typeof specs)[0][0], { metadata: { name: "p" }, spec }));
    },
  ),
  target("specs of services", fc.oneof(spoiledObject(service), fc.jsonValue()), (spec) => {
    refused(() => parseInferenceService({ metadata: { name: "s" }, spec } as never));
  }),
  target(
    "picker configurations",
    fc.oneof(
      fc.string(),
      pickerConfig.map((value) => stringify(value) ?? ""),
    ),
    (text) => {
      refused(() => loadPickerConfig(text, "fuzz"));
    },
  ),
  target("kubeconfigs", fc.oneof(kubeconfig, fc.jsonValue({ maxDepth: 3 })), (config) => {
    writeFileSync(kubeconfigFile, stringify(config) ?? "");
    const read = refused(() => loadKubeConfig({ file: kubeconfigFile }));
    if (read !== undefined) refused(() => newKubernetesClient(read).close());
  }),
  target("admission reviews", fc.oneof(spoiledObject(review), fc.jsonValue()), (it) => {
    refused(() => readReview(it));
  }),
  target("patches of plugin endpoints", patch, (operations) => {
    const read = refused(() => JsonPatch.parse(written(operations)));
    if (read === undefined) return;
    const before = JSON.stringify(pod);
    refused(() => applyJsonPatch(pod, read));
    if (JSON.stringify(pod) !== before) throw new Error("the pod itself was changed");
    if (Object.keys(Object.prototype).length > 0) throw new Error("every object was changed");
  }),
];
