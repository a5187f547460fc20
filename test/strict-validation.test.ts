import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { type InferenceServiceInput, type Manifest, planInferenceService } from "../sdk/index.ts";
import { planInferenceRoute } from "../sdk/plan/models/models.ts";
import { builtInSupport } from "../sdk/plugins/registry.ts";
import { fromManifest } from "../sdk/spec/inference-service-manifest.ts";
import { parseKind } from "../sdk/validate/spec-kind.ts";
import { inferenceRouteSpecKind } from "../sdk/validate/spec-kinds.ts";
import { type AttachedCluster, freshNamespace } from "../testing/api/cluster.ts";
import { installCrd, installOwnCrds } from "../testing/api/install-crds.ts";
import { sharedCluster } from "../testing/clusters/shared-cluster.ts";
import { collectionPath } from "../testing/object-path.ts";
import { readStory } from "../testing/repository.ts";
import { arbitraryService } from "../testing/samples/arbitrary-service.ts";
import { router } from "../testing/samples/sample-service.ts";
import { certificateCrd } from "../testing/stand-ins/certificate-crd.ts";

/** Every planned object is one that the API server takes as it stands, unknown fields refused. */

const createPath = (manifest: Manifest) =>
  `${collectionPath(manifest)}?dryRun=All&fieldValidation=Strict`;

const withRouter = ({ metadata, spec }: InferenceServiceInput): InferenceServiceInput => ({
  metadata,
  spec: { ...spec, roles: [...spec.roles, router({ metricsAuth: true })] },
});

let cluster: AttachedCluster;
let namespace: string;

beforeAll(async () => {
  cluster = await sharedCluster();
  await installOwnCrds(cluster);
  await installCrd(cluster, certificateCrd);
  namespace = await freshNamespace(cluster);
}, 120_000);
afterAll(() => cluster?.detach());

const accepted = async (input: InferenceServiceInput, podPlugins = builtInSupport) => {
  const plan = planInferenceService(
    { ...input, metadata: { ...input.metadata, namespace } },
    { rewriteVersion: "inference.networking.x-k8s.io/v1alpha2", statusObject: "full", podPlugins },
  );
  await Promise.all(
    plan.map((manifest) => cluster.request("POST", createPath(manifest), manifest)),
  );
  return plan.length;
};

it.each([1, 2, 3, 4])("API servers accept story %i with a router", async (number) => {
  for (const layout of ["subGroup", "task"] as const) {
    const { metadata, spec } = withRouter(readStory(number));
    const schedulingStrategy = { gang: { layout } };
    expect(await accepted({ metadata, spec: { ...spec, schedulingStrategy } })).toBeGreaterThan(8);
  }
});

it.each(["every-field", "other-fields"])(
  "API servers accept the plan of the example %s",
  async (name) => {
    const path = join(import.meta.dirname, `crds/examples/inferenceservices/valid/${name}.yaml`);
    const { metadata, spec } = fromManifest({
      ...parse(readFileSync(path, "utf8")),
      metadata: { name },
    });
    const podPlugins = { ...builtInSupport, webhookUrls: ["https://plugins.example.com/"] };
    expect(await accepted({ metadata, spec }, podPlugins)).toBeGreaterThan(10);
  },
);

it("API servers accept the plan of any valid service", async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryService, async (input) => {
      await accepted(input);
    }),
    { numRuns: 40 },
  );
}, 120_000);

it("API servers accept a route with 10 rules for every path of clients' APIs, and refuse 11", async () => {
  const metadata = { name: "routes", namespace };
  const pools = [{ name: "pool" }];
  const rules = Array.from({ length: 10 }, (_, at) => ({ model: `m-${at}`, pools }));
  const spec = { parentRefs: [{ name: "gateway" }], rules };
  const [route] = planInferenceRoute(parseKind(inferenceRouteSpecKind, { metadata, spec }));
  const post = (manifest: unknown) =>
    cluster.request("POST", createPath(route as Manifest), manifest);
  await post(route);
  const planned = route?.spec as { rules: object[] };
  const eleven = { ...route, spec: { ...planned, rules: [...planned.rules, planned.rules[0]] } };
  await expect(post(eleven)).rejects.toThrow(/less than 128/);
});

it("API servers refuse an unknown field", async () => {
  const [podGroup] = planInferenceService({
    ...readStory(4),
    metadata: { name: "a", namespace },
  });
  Object.assign(podGroup?.spec as object, { minMembers: 1 });
  const post = cluster.request("POST", createPath(podGroup as Manifest), podGroup);
  await expect(post).rejects.toThrow(/unknown field "spec.minMembers"/);
});
