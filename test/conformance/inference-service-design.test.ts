import { describe, expect, it } from "vitest";
import {
  type InferenceServiceInput,
  type Manifest,
  planInferenceService,
} from "../../sdk/index.ts";
import { readDocuments, readStory } from "../../testing/repository.ts";
import { differences, type Rule } from "./field-differences.ts";

/**
 * The examples of the InferenceService design, field by field. With gang layout `task`, a plan has every field of an
 * example except the departures below, and no other fields except the additions below.
 */

const leader = "spec.leaderWorkerTemplate.leaderTemplate";
const anyTemplate = /^spec\.leaderWorkerTemplate\.(leader|worker)Template\./;

/** The places in which a plan differs from an example on purpose. */
const departures: Rule[] = [
  {
    path: `${leader}.spec.containers[0].args[0]`,
    reason: "The user's `--model X` stays as written; the example made it positional.",
  },
];

/** Additions of a plan to an example. */
const additions: Rule[] = [
  {
    path: new RegExp(`${anyTemplate.source}spec\\.automountServiceAccountToken$`),
    reason: "Engines do not call the API server.",
  },
  { path: "metadata.namespace", reason: "Names are resolved against one namespace." },
  { path: /^metadata\.labels\./, reason: "All objects carry the labels of the design's table." },
  { path: /^spec\.minResources\./, reason: "The queue admits the gang by what it asks for." },
  { path: /^spec\.rolloutStrategy\./, reason: "The controller reads the whole structure." },
  { path: "spec.startupPolicy", reason: "Leaders and workers of a gang are created together." },
  {
    path: "spec.leaderWorkerTemplate.restartPolicy",
    reason: "A group restarts as one, said explicitly.",
  },
  {
    path: new RegExp(`${anyTemplate.source}metadata\\.labels\\.`),
    reason: "Pools and gangs select pods by all labels of the table.",
  },
  { path: `${leader}.spec.containers[0].ports[0].name`, reason: "The input names its port http." },
  {
    path: new RegExp(`^${leader}\\.spec\\.containers\\[0\\]\\.ports\\[1\\]\\.(name|protocol)$`),
    reason: "Ray's port has a name, so that a second declaration shows.",
  },
  {
    path: new RegExp(`^${leader}\\.spec\\.containers\\[0\\]\\.readinessProbe\\.`),
    reason: "A leader is ready when the model answers.",
  },
  {
    path: /^spec\.leaderWorkerTemplate\.workerTemplate\.spec\.containers\[0\]\.(startup|readiness)Probe\./,
    reason: "A single pod gets no request before its model is loaded.",
  },
  {
    path: /^spec\.leaderWorkerTemplate\.workerTemplate\.spec\.containers\[0\]\.args\[/,
    reason: "Both sides of a pair are told how to hand over blocks; the input says it.",
  },
];

interface Example {
  readonly file: string;
  readonly input: () => InferenceServiceInput;
}

const story = (number: number): InferenceServiceInput => {
  const { metadata, spec } = readStory(number);
  return { metadata, spec: { ...spec, schedulingStrategy: { gang: { layout: "task" } } } };
};

const container = (fields: object) => ({ spec: { containers: [{ name: "vllm", ...fields }] } });

const examples: Record<string, Example> = {
  "Example 1: Single-Node LWS": {
    file: "example-1.yaml",
    input: () => ({
      metadata: { name: "qwen" },
      spec: {
        roles: [
          {
            name: "inference",
            componentType: "worker",
            replicas: 2,
            template: container({
              image: "vllm/vllm-openai:v0.11.0",
              args: ["vllm", "serve", "Qwen/Qwen3-8B"],
              ports: [{ containerPort: 8000 }],
              resources: { limits: { "nvidia.com/gpu": "1" } },
            }),
          },
        ],
      },
    }),
  },
  "Example 2: Multi-Node LWS with Gang Scheduling": {
    file: "example-2.yaml",
    input: () => story(3),
  },
  "Example: PD Disaggregated Multi-Node (Story 4)": {
    file: "story-4-pod-group.yaml",
    input: () => story(4),
  },
  "PodGroup Management": {
    file: "pod-group-management.yaml",
    input: () => {
      const role = (name: string, componentType: "prefiller" | "decoder", replicas: number) => ({
        name,
        componentType,
        replicas,
        template: container({
          image: "vllm/vllm-openai:v0.8.5",
          args: [
            "--model",
            "m",
            "--kv-transfer-config",
            '{"kv_connector":"NixlConnector","kv_role":"kv_both"}',
          ],
        }),
      });
      return {
        metadata: { name: "qwen3-inference" },
        spec: {
          schedulingStrategy: { gang: { layout: "task" } },
          roles: [role("prefill", "prefiller", 2), role("decode", "decoder", 4)],
        },
      };
    },
  },
};

const used = new Set<Rule>();

describe.each(Object.entries(examples))("%s", (_title, { file, input }) => {
  it("plans every field that the example shows", () => {
    const planned = planInferenceService(input());
    for (const shown of readDocuments<Manifest>(`test/fixtures/design/${file}`)) {
      const plan = planned.find(
        ({ kind, metadata }) => kind === shown.kind && metadata.name === shown.metadata.name,
      );
      expect(plan, `${shown.kind} ${shown.metadata.name}`).toBeDefined();
      expect(differences(shown, plan, { departures, additions, used })).toEqual([]);
    }
  });
});

it("every listed departure and addition is needed", () => {
  expect([...departures, ...additions].filter((rule) => !used.has(rule))).toEqual([]);
});

describe("Naming Convention", () => {
  const names = (input: InferenceServiceInput) =>
    planInferenceService(input)
      .filter(({ kind }) => kind === "LeaderWorkerSet")
      .map(({ metadata }) => metadata.name);

  it("names one LeaderWorkerSet per replica: {service}-{role}-{replica}", () => {
    const { spec } = story(3);
    expect(names({ metadata: { name: "deepseek-r1" }, spec })).toEqual([
      "deepseek-r1-inference-0",
      "deepseek-r1-inference-1",
    ]);
  });

  it("names one LeaderWorkerSet per single-node role: {service}-{role}", () => {
    expect(names(story(1))).toEqual(["qwen-inference-inference"]);
  });
});
