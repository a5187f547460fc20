import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { router, service, worker } from "../../testing/samples/sample-service.ts";
import { ControllersSpec } from "../spec/controllers.ts";
import { parseKind } from "../validate/spec-kind.ts";
import {
  clusterSetSpecKind,
  inferencePoolSpecKind,
  llmServerPoolSpecKind,
  modelRouterSpecKind,
  sharedEndpointPickerSpecKind,
} from "../validate/spec-kinds.ts";
import { planControllers } from "./controllers/controllers.ts";
import { planInferenceService } from "./inference-service.ts";
import { planModelRouter } from "./models/model-router.ts";
import { planClusterSet } from "./multi-cluster/cluster-set.ts";
import { planSharedEndpointPicker } from "./picker/shared-picker.ts";
import { planLLMServerPool, planPool } from "./pools/pool.ts";

/**
 * Golden files: complete plans that run this project's own programs, each reviewed by a person. No script writes these
 * files; update them by hand.
 */
const golden = (name: string): unknown[] =>
  parseAllDocuments(readFileSync(join(import.meta.dirname, "goldens", `${name}.yaml`), "utf8")).map(
    (document) => document.toJS(),
  );

const plain = (manifests: readonly object[]) => JSON.parse(JSON.stringify(manifests));

it("the plan of a service with a router equals goldens/router.yaml", () => {
  const { metadata, spec } = service([
    worker({ replicas: 2 }),
    router({
      replicas: 2,
      gateway: {
        gatewayClassName: "istio",
        listeners: [{ name: "http", port: 80, protocol: "HTTP" }],
      },
      httproute: { hostnames: ["chat.example.com"] },
    }),
  ]);
  const plan = planInferenceService({
    metadata: { ...metadata, name: "chat", namespace: "prod" },
    spec,
  });
  expect(plain(plan)).toEqual(golden("router"));
});

it("the plan of an exported pool equals goldens/exported-pool.yaml", () => {
  const pool = parseKind(inferencePoolSpecKind, {
    metadata: { name: "chat", namespace: "prod" },
    spec: {
      selector: { app: "vllm" },
      targetPorts: [8000],
      export: {
        mode: "EndpointMode",
        serviceType: "LoadBalancer",
        certificateSecret: "picker-certificate",
        clientCaConfigMap: "importers-ca",
        allowedNetworks: ["10.0.0.0/8"],
      },
    },
  });
  expect(plain(planPool(pool))).toEqual(golden("exported-pool"));
});

it("the plan of InferenceControllers equals goldens/controllers.yaml", () => {
  const controllers = {
    metadata: { name: "controllers", namespace: "inference-system", labels: {}, annotations: {} },
    spec: ControllersSpec.parse({ podPlugins: { replicas: 2 } }),
  };
  expect(plain(planControllers(controllers))).toEqual(golden("controllers"));
});

it("the plan of a model router equals goldens/model-router.yaml", () => {
  const router = parseKind(modelRouterSpecKind, {
    metadata: { name: "models", namespace: "prod" },
    spec: { gateway: { name: "inference-gateway", type: "istio" } },
  });
  expect(plain(planModelRouter(router))).toEqual(golden("model-router"));
});

it("the plan of a shared picker and its pool equals goldens/shared-picker.yaml", () => {
  const metadata = { namespace: "prod" };
  const picker = parseKind(sharedEndpointPickerSpecKind, {
    metadata: { name: "shared", ...metadata },
    spec: { ports: { count: 2 }, gatewayType: "istio" },
  });
  const pool = parseKind(llmServerPoolSpecKind, {
    metadata: { name: "llama", ...metadata },
    spec: {
      modelServerSelector: { app: "llama" },
      allowedNamespaces: ["chat"],
      endpointPicker: { shared: { name: "shared", port: 10_001 }, strategy: "queue-size" },
      fairness: { byTenantHeader: "x-tenant" },
    },
  });
  expect(plain([...planSharedEndpointPicker(picker), ...planLLMServerPool(pool)])).toEqual(
    golden("shared-picker"),
  );
});

it("the plan of a cluster set equals goldens/cluster-set.yaml", () => {
  const set = parseKind(clusterSetSpecKind, {
    metadata: { name: "fleet", namespace: "inference-system" },
    spec: { members: [{ name: "east", kubeconfigSecret: "east" }] },
  });
  expect(plain(planClusterSet(set))).toEqual(golden("cluster-set"));
});
