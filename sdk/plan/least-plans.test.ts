import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { rewriteVersions } from "../../kubernetes/kinds/inference-model-rewrite.ts";
import type { Manifest } from "../../kubernetes/values/manifest.ts";
import { kindProblems } from "../../testing/api/kind-problems.ts";
import { emptyParts } from "../../testing/samples/empty-parts.ts";
import { router, service, worker } from "../../testing/samples/sample-service.ts";
import {
  type ImportGatewayType,
  importGatewayTypes,
  importSupportOf,
  poolGatewayTypes,
} from "../gateways/index.ts";
import { ControllersSpec } from "../spec/controllers.ts";
import { parseKind, type SpecKind } from "../validate/spec-kind.ts";
import {
  clusterSetMemberSpecKind,
  clusterSetSpecKind,
  importedPoolSpecKind,
  inferencePoolSpecKind,
  inferenceRouteSpecKind,
  llmServerPoolSpecKind,
  llmServiceSpecKind,
  modelRewriteSpecKind,
  modelRouterSpecKind,
  objectiveSpecKind,
  serviceObjectivesSpecKind,
  sharedEndpointPickerSpecKind,
} from "../validate/spec-kinds.ts";
import { planControllers } from "./controllers/controllers.ts";
import { planDocument } from "./document.ts";
import { planInferenceService } from "./inference-service.ts";
import { planModelRouter } from "./models/model-router.ts";
import {
  planInferenceRoute,
  planLLMService,
  planModelRewrite,
  planObjective,
} from "./models/models.ts";
import { planClusterSet, planClusterSetMember } from "./multi-cluster/cluster-set.ts";
import { planImportedPool } from "./multi-cluster/imported-pool.ts";
import { planServiceObjectives } from "./observability/service-objectives.ts";
import { planSharedEndpointPicker } from "./picker/shared-picker.ts";
import { planLLMServerPool, planPool } from "./pools/pool.ts";

/**
 * Plans of minimal specs. A field that the user left out must not be planned as an empty map: an API server drops empty
 * maps, so every preview would show a difference.
 */

const metadata = { name: "x", namespace: "y" };
const least = <Spec>(kind: SpecKind<Spec>, spec: object) => parseKind(kind, { metadata, spec });
const poolRef = { name: "llama" };
const example = join(import.meta.dirname, "../../examples/model-serving/model-serving.yaml");

const imported = (type: ImportGatewayType): Manifest[] => {
  const { backend, parents } = importSupportOf(type);
  return planImportedPool(
    least(importedPoolSpecKind, {
      gateway: { type },
      createNamespace: true,
      parentRefs: [{ name: "gateway" }],
      ...(backend === undefined &&
        (parents === undefined
          ? { picker: {} }
          : { parents: [{ cluster: "a", host: "gw.a.example", port: 80 }] })),
    }),
  );
};

const plans: Array<[what: string, plan: () => readonly Manifest[]]> = [
  [
    "LLMService",
    () =>
      planLLMService(least(llmServiceSpecKind, { models: [{ name: "m" }], poolRef: [poolRef] })),
  ],
  ...rewriteVersions.map((version): [string, () => Manifest[]] => [
    `InferenceModelRewrite of ${version}`,
    () =>
      planModelRewrite(
        least(modelRewriteSpecKind, { poolRef, rules: [{ targets: [{ modelRewrite: "m" }] }] }),
        version,
      ),
  ]),
  ["InferenceObjective", () => planObjective(least(objectiveSpecKind, { poolRef }))],
  [
    "InferenceRoute",
    () =>
      planInferenceRoute(
        least(inferenceRouteSpecKind, { parentRefs: [poolRef], rules: [{ pools: [poolRef] }] }),
      ),
  ],
  [
    "LLMServerPool",
    () => planLLMServerPool(least(llmServerPoolSpecKind, { modelServerSelector: { app: "vllm" } })),
  ],
  ["InferencePool", () => planPool(least(inferencePoolSpecKind, { selector: { app: "vllm" } }))],
  ...importGatewayTypes.map((type): [string, () => Manifest[]] => [
    `ImportedInferencePool behind ${type}`,
    () => imported(type),
  ]),
  ["ClusterSetMember", () => planClusterSetMember(least(clusterSetMemberSpecKind, {}))],
  [
    "ClusterSet",
    () =>
      planClusterSet(
        least(clusterSetSpecKind, { members: [{ name: "a", kubeconfigSecret: "a" }] }),
      ),
  ],
  ...poolGatewayTypes.map((gatewayType): [string, () => Manifest[]] => [
    `SharedEndpointPicker behind ${gatewayType}`,
    () => planSharedEndpointPicker(least(sharedEndpointPickerSpecKind, { gatewayType })),
  ]),
  ...poolGatewayTypes.map((type): [string, () => Manifest[]] => [
    `ModelRouter behind ${type}`,
    () => planModelRouter(least(modelRouterSpecKind, { gateway: { name: "gateway", type } })),
  ]),
  [
    "ServiceObjectives",
    () => planServiceObjectives(least(serviceObjectivesSpecKind, { of: { name: "chat" } })),
  ],
  [
    "InferenceControllers",
    () =>
      planControllers({
        metadata: { ...metadata, labels: {}, annotations: {} },
        spec: ControllersSpec.parse({}),
      }),
  ],
  [
    "InferenceService with a router",
    () =>
      planInferenceService(service([worker(), router({ httproute: { parentRefs: [poolRef] } })])),
  ],
  [
    "InferenceService with a status object",
    () => planInferenceService(service([worker(), router()]), { statusObject: "full" }),
  ],
  ["ModelServing", () => planDocument(parse(readFileSync(example, "utf8"))).manifests],
];

describe("every planned object has a kind of the table", () => {
  it.each(plans)("%s", (_what, plan) => {
    expect(plan().flatMap(kindProblems)).toEqual([]);
  });
});

describe("a minimal spec is planned without empty maps and lists", () => {
  it.each(plans)("%s", (_what, plan) => {
    const manifests = plan();
    expect(manifests.length).toBeGreaterThan(0);
    expect(manifests.flatMap(emptyParts)).toEqual([]);
  });
});
