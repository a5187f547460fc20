import { describe, expect, it } from "vitest";
import { kvFormatOf } from "../../../sdk/engines/containers/kv-format.ts";
import { reasonOf } from "../../../sdk/routing/object-identity.ts";
import { readObjective, readPod, readPool } from "./read-objects.ts";

const metadata = {
  name: "a",
  namespace: "ns",
  uid: "u",
  creationTimestamp: "2026-01-01T00:00:00Z",
};
const identity = metadata;
const group = "inference.networking.k8s.io";
const poolRef = { name: "pool" };
const fullRef = { group, kind: "InferencePool", name: "pool" };

/** Returns the error message of `read`. */
function refusal(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    return reasonOf(error);
  }
  return "";
}

describe("pools", () => {
  const spec = { selector: { matchLabels: { app: "m" } }, targetPorts: [{ number: 8000 }] };

  it("readPool reads the fields that the picker needs", () => {
    expect(readPool({ metadata, spec: { ...spec, endpointPickerRef: {} } }, group)).toEqual({
      ...{ ...identity, group, matchLabels: { app: "m" }, targetPorts: [8000] },
      appProtocol: "http",
      registrationRequired: false,
      allowedNamespaces: [],
      modelsOf: new Map(),
      reservedModels: undefined,
    });
    const h2c = { ...spec, appProtocol: "kubernetes.io/h2c" };
    expect(readPool({ metadata, spec: h2c }, "x")).toMatchObject({
      ...{ group: "x", appProtocol: "kubernetes.io/h2c" },
    });
  });

  it("readPool reads whether registration is required and which namespaces are admitted", () => {
    const annotations = {
      "pulumi-inference/registration": "required",
      "pulumi-inference/allowed-namespaces": "team-a,team-b",
    };
    expect(readPool({ metadata: { ...metadata, annotations }, spec }, group)).toMatchObject({
      registrationRequired: true,
      allowedNamespaces: ["team-a", "team-b"],
    });
  });

  it("readPool reads allowed and reserved models, and denies everything if an annotation is invalid", () => {
    const grants = (models: string, reserved: string) => {
      const annotations = {
        "pulumi-inference/allowed-namespaces": "team-a",
        "pulumi-inference/allowed-models": models,
        "pulumi-inference/reserved-models": reserved,
      };
      return readPool({ metadata: { ...metadata, annotations }, spec }, group);
    };
    expect(grants('{"team-a":["a-*"]}', '["base"]')).toMatchObject({
      modelsOf: new Map([["team-a", ["a-*"]]]),
      reservedModels: ["base"],
    });
    expect(grants('{"team-a":"a-*"}', "base")).toMatchObject({
      modelsOf: new Map([["team-a", []]]),
      reservedModels: ["*"],
    });
  });

  it("readPool ignores a pool that is being deleted", () => {
    const deletionTimestamp = "2026-01-02T00:00:00Z";
    expect(readPool({ metadata: { ...metadata, deletionTimestamp }, spec }, group)).toBeUndefined();
  });

  it.each([
    [{ ...spec, targetPorts: [{ number: "http" }] }, /^spec\.targetPorts\[0\]\.number: .*number/],
    [{ ...spec, targetPorts: [{ number: 65_536 }] }, /^spec\.targetPorts\[0\]\.number: .*65535/],
    [{ ...spec, targetPorts: [] }, /^spec\.targetPorts: /],
    [{ targetPorts: [{ number: 1 }] }, /^spec\.selector: /],
  ])("readPool rejects %j", (spec, message) => {
    expect(refusal(() => readPool({ metadata, spec }, group))).toMatch(message);
  });
});

describe("pods", () => {
  const ready = (status: string) => ({ conditions: [{ type: "Ready", status }] });

  it("readPod reads address, readiness, labels and the annotations with the active ports", () => {
    const annotations = {
      "llm-d.ai/active-ports": "8000",
      "inference.networking.k8s.io/active-ports": "8001",
      "kubectl.kubernetes.io/last-applied-configuration": "{}",
    };
    const pod = {
      metadata: { ...metadata, labels: { app: "m" }, annotations },
      spec: { containers: [] },
      status: { podIP: "10.0.0.1", ...ready("True") },
    };
    expect(readPod(pod)).toEqual({
      ...{ ...identity, labels: { app: "m" }, ip: "10.0.0.1", ready: true, deleting: false },
      annotations: {
        "llm-d.ai/active-ports": "8000",
        "inference.networking.k8s.io/active-ports": "8001",
      },
    });
  });

  it.each([
    [{}, { ip: "", ready: false }],
    [{ status: {} }, { ip: "", ready: false }],
    [{ status: { podIP: "10.0.0.1", ...ready("False") } }, { ip: "10.0.0.1", ready: false }],
    [{ status: { ...ready("Unknown") } }, { ready: false }],
  ])("readPod reads %j as a pod that does not serve yet", (pod, expected) => {
    expect(readPod({ metadata, ...pod })).toMatchObject(expected);
  });

  it("readPod takes a pod without conditions for ready only if it is from a file", () => {
    expect(readPod({ metadata }, true).ready).toBe(true);
    expect(readPod({ metadata, status: ready("False") }, true).ready).toBe(false);
  });

  it("readPod reports a pod that is being deleted", () => {
    const deletionTimestamp = "2026-01-02T00:00:00Z";
    expect(readPod({ metadata: { ...metadata, deletionTimestamp } }).deleting).toBe(true);
  });

  it("readPod reads the KV format of a prefiller from its container, as the plan does", () => {
    const prefiller = {
      ...metadata,
      labels: { "fusioninfer.io/component-type": "prefiller" },
    };
    const engine = {
      name: "vllm",
      image: "vllm/vllm-openai:v0.32.0",
      command: ["sh", "-c", "vllm serve $MODEL"],
      env: [{ name: "MODEL", value: "m" }],
      resources: { limits: { "nvidia.com/gpu": "8" } },
    };
    const proxy = { name: "proxy", image: "registry.example/proxy:1" };
    const formatOf = (labelled: object, ...containers: object[]) =>
      readPod({ metadata: labelled, spec: { containers } }).kvFormat;
    expect(formatOf(prefiller, proxy, engine)).toBe(kvFormatOf(engine));
    expect(kvFormatOf(engine)).toContain("v0.32.0");
    expect(formatOf(metadata, engine)).toBeUndefined();
  });
});

describe("objectives", () => {
  it.each([
    [
      { poolRef, priority: -3 },
      { poolRef: fullRef, priority: -3 },
    ],
    [{ poolRef }, { poolRef: fullRef, priority: 0 }],
    [
      { poolRef: { ...poolRef, group: "x", kind: "Y" }, priority: 1 },
      { poolRef: { group: "x", kind: "Y", name: "pool" }, priority: 1 },
    ],
  ])("readObjective reads %j", (spec, expected) => {
    expect(readObjective({ metadata, spec })).toEqual({ ...identity, ...expected });
  });

  it("readObjective rejects an objective without a pool", () => {
    expect(refusal(() => readObjective({ metadata, spec: {} }))).toMatch(/^spec\.poolRef: /);
    expect(refusal(() => readObjective({ metadata }))).toMatch(/^spec: /);
  });
});
