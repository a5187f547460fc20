import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { mergePatchType } from "../../kubernetes/api/patch-types.ts";
import { groupOf } from "../../kubernetes/values/manifest.ts";
import { crdName, type KindDefinition } from "../../sdk/crds/custom-resource-definition.ts";
import { ownKinds } from "../../sdk/crds/own-kinds.ts";
import { maxModels } from "../../sdk/spec/llm-service.ts";
import { type AttachedCluster, freshNamespace } from "../../testing/api/cluster.ts";
import { installOwnCrds } from "../../testing/api/install-crds.ts";
import { sharedCluster } from "../../testing/clusters/shared-cluster.ts";

/** Every kind of this project with good and bad objects, judged by a real API server. */

const folder = join(import.meta.dirname, "examples");

interface Written {
  apiVersion: string;
  kind: string;
  metadata?: object;
  spec?: object;
}

let cluster: AttachedCluster;
let namespace: string;
beforeAll(async () => {
  cluster = await sharedCluster();
  await installOwnCrds(cluster);
  namespace = await freshNamespace(cluster, "examples");
}, 60_000);
afterAll(() => cluster?.detach());

type Created = Required<Written> & { status?: unknown };

function create(plural: string, name: string, object: Written): Promise<Created> {
  const path = `/apis/${object.apiVersion}/namespaces/${namespace}/${plural}`;
  const metadata = { ...object.metadata, name };
  return cluster.request("POST", `${path}?fieldValidation=Strict`, { ...object, metadata });
}

const incomplete =
  ", <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";

/** Returns the server's reason for a refusal, without its standard words. */
const refusal = (created: Promise<unknown>) =>
  created.then(
    () => "nothing",
    ({ message }: Error) => {
      const [, said = message] = /"[^"]*" is invalid: (.*)$/.exec(message) ?? [];
      const [, strict] = /cannot be handled as a \w+: (.*)$/.exec(message) ?? [];
      return strict ?? said.replace(incomplete, "").replace(/^\[(.*)\]$/, "$1");
    },
  );

const examples = (plural: string, verdict: "valid" | "invalid") =>
  readdirSync(join(folder, plural, verdict)).map((file) => {
    const text = readFileSync(join(folder, plural, verdict, file), "utf8");
    const expected = /^# Refused: (.*)$/m.exec(text)?.[1];
    return [basename(file, ".yaml"), parse(text) as Written, expected] as const;
  });

const ofKind = ({ plural, group }: KindDefinition, verdict: "valid" | "invalid") =>
  examples(plural, verdict).filter(([, { apiVersion }]) => groupOf(apiVersion) === group);

describe.each(ownKinds.map((kind) => [crdName(kind), kind] as const))("%s", (_crd, kind) => {
  const { plural } = kind;
  it.each(ofKind(kind, "valid"))("accepts %s", async (name, object) => {
    await expect(create(plural, name, object)).resolves.toBeDefined();
  });

  it.each(ofKind(kind, "invalid"))("refuses %s", async (name, object, expected) => {
    expect(await refusal(create(plural, name, object))).toBe(expected);
  });
});

/** The path of an object of a kind, in one of its versions. */
const pathOf = (apiVersion: string, plural: string, name: string) =>
  `/apis/${apiVersion}/namespaces/${namespace}/${plural}/${name}`;

describe("an InferenceModelRewrite", () => {
  const group = "inference.networking.x-k8s.io";

  it.each(["go-types", "proposal"])("is the same in all versions: %s", async (name) => {
    const read = (version: string) =>
      cluster.request<Created>(
        "GET",
        pathOf(`${group}/${version}`, "inferencemodelrewrites", name),
      );
    const [older, newer] = await Promise.all([read("v1alpha1"), read("v1alpha2")]);
    expect(newer).toEqual({ ...older, apiVersion: newer.apiVersion, metadata: newer.metadata });
    expect(newer.apiVersion).toBe(`${group}/v1alpha2`);
  });

  it.each([group, "llm-d.ai"])(
    "is created with the condition Accepted: Unknown: %s",
    async (of) => {
      const { status } = await create("inferencemodelrewrites", "pending", {
        apiVersion: `${of}/v1alpha2`,
        kind: "InferenceModelRewrite",
        spec: { poolRef: { name: "pool" }, rules: [{ targets: [{ modelRewrite: "a" }] }] },
      });
      const lastTransitionTime = "1970-01-01T00:00:00Z";
      expect(status).toEqual({
        conditions: [
          {
            type: "Accepted",
            status: "Unknown",
            reason: "Pending",
            message: "Waiting for controller",
            lastTransitionTime,
          },
        ],
      });
    },
  );
});

describe("a status", () => {
  const condition = {
    type: "Accepted",
    status: "True",
    reason: "Accepted",
    message: "",
    lastTransitionTime: "2026-01-01T00:00:00Z",
    observedGeneration: 1,
  };
  const role = { desiredReplicas: 2, readyReplicas: 1, nodesPerReplica: 4, totalPods: 8 };
  const statuses: Array<[crd: string, name: string, status: object]> = [
    [
      "inferenceservices.fusioninfer.io",
      "every-field",
      { components: { inference: { ...role, readyPods: 5, phase: "Deploying" } } },
    ],
    ["llmserverpools.inference.x-k8s.io", "every-field", { endpoints: { known: 3, ready: 2 } }],
    [
      "llmservices.inference.x-k8s.io",
      "canonical",
      { pools: [{ namespace: "other", name: "pool", conditions: [condition] }] },
    ],
    ["inferencemodelrewrites.inference.networking.x-k8s.io", "newer", {}],
    ["inferencemodelrewrites.llm-d.ai", "weighted", {}],
    ["inferenceobjectives.llm-d.ai", "shed-first", {}],
    ["inferencepoolimports.inference.networking.x-k8s.io", "least", everyImportField(condition)],
  ];

  it.each(statuses)(
    "a status of %s can be written only through the status subresource",
    async (...args) => {
      const [crd, name, fields] = args;
      const kind = ownKinds.find((own) => crdName(own) === crd) as KindDefinition;
      const path = pathOf(`${kind.group}/${kind.version}`, kind.plural, name);
      const status = { observedGeneration: 1, conditions: [condition], ...fields };
      const patch = (at: string) =>
        cluster.request<Created>(
          "PATCH",
          `${at}?fieldValidation=Strict`,
          { status },
          mergePatchType,
        );
      expect((await patch(path)).status).not.toEqual(status);
      expect((await patch(`${path}/status`)).status).toEqual(status);
    },
  );
});

/** Every field of an import's status, both in the form of the proposal and in the form of the shipped CRD. */
function everyImportField(condition: object) {
  const service = [{ type: "LoadBalancer", addresses: ["1.2.3.4"], ports: [{ number: 9002 }] }];
  const secretRef = { name: "credentials", namespace: "example" };
  return {
    clusters: [
      {
        name: "cluster-a",
        routingMode: "EndpointMode",
        targetPortNumber: 8080,
        endpointPicker: {
          name: "epp",
          service,
          health: { port: 9003, secretRef },
          metrics: { port: 9090, secretRef },
        },
        parents: [{ name: "gateway", namespace: "example", service, conditions: [condition] }],
        conditions: [condition],
      },
    ],
    controllers: [
      {
        name: "example.com/controller",
        exportingClusters: [{ name: "cluster-a" }, { name: "cluster-a" }],
        conditions: [condition],
        parents: [
          {
            parentRef: { group: "gateway.networking.k8s.io", kind: "Gateway", name: "gateway" },
            conditions: [condition],
          },
        ],
      },
    ],
  };
}

describe("InferenceServices of the design", () => {
  const stories = join(import.meta.dirname, "../fixtures/stories");

  it.each(readdirSync(stories))(
    "InferenceServices of the design are accepted unchanged: %s",
    async (file) => {
      const story = parse(readFileSync(join(stories, file), "utf8")) as Written;
      await expect(
        create("inferenceservices", basename(file, ".yaml"), story),
      ).resolves.toMatchObject({ spec: story.spec });
    },
  );
});

describe("the longest lists of the longest names stay within the server's budget for rules", () => {
  const longNames = (count: number) =>
    Array.from({ length: count }, (_, at) => `${at}-`.padEnd(253, "x"));
  const shortNames = (count: number) => Array.from({ length: count }, (_, at) => `m-${at}`);

  it.each(["name", "modelName"])("models by %s", async (field) => {
    await create("llmservices", `budget-${field.toLowerCase()}`, {
      apiVersion: "inference.x-k8s.io/v1alpha1",
      kind: "LLMService",
      spec: {
        models: longNames(maxModels).map((name) => ({ [field]: name })),
        poolRef: longNames(32).map((name) => ({ name, namespace: "n".repeat(63) })),
      },
    });
  });

  it("targets", async () => {
    const targetModels = shortNames(64).map((name) => ({ targetModelName: name, weight: 1 }));
    await create("llmservices", "budget-targets", {
      apiVersion: "inference.x-k8s.io/v1alpha1",
      kind: "LLMService",
      spec: {
        LLMServices: shortNames(maxModels).map((modelName) => ({ modelName, targetModels })),
        poolRef: [{ name: "pool" }],
      },
    });
  });

  it("rewrites", async () => {
    const split = shortNames(64).map((modelRewrite) => ({ modelRewrite, weight: 1 }));
    await create("inferencemodelrewrites", "budget", {
      apiVersion: "inference.networking.x-k8s.io/v1alpha1",
      kind: "InferenceModelRewrite",
      spec: { poolRef: { name: "pool" }, rules: Array(256).fill({ split }) },
    });
  });

  it("roles", async () => {
    const role = { componentType: "router", failureMode: "FailOpen", metricsAuth: true };
    await create("inferenceservices", "budget", {
      apiVersion: "fusioninfer.io/v1alpha1",
      kind: "InferenceService",
      spec: {
        roles: shortNames(256).map((name) => ({ name, ...role })),
        models: longNames(maxModels).map((name) => ({ name })),
      },
    });
  });
});
