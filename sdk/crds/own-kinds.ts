import { kinds } from "../../kubernetes/kinds/index.ts";
import { rewriteVersions } from "../../kubernetes/kinds/inference-model-rewrite.ts";
import { addressOf, type KindAddress } from "../../kubernetes/kinds/kind.ts";
import {
  InferencePoolImportSpec,
  InferencePoolImportStatus,
} from "../multi-cluster/import-schema.ts";
import { label, manager } from "../names.ts";
import { InferenceServiceSpec } from "../spec/inference-service.ts";
import { ModelRewriteSpec, ObjectiveSpec } from "../spec/model-rewrite.ts";
import {
  InferenceServiceStatus,
  LLMServerPoolStatus,
  LLMServiceStatus,
} from "../status/schemas.ts";
import {
  type CrdMetadata,
  type CustomResourceDefinition,
  customResourceDefinition,
  type KindDefinition,
  type PrinterColumn,
} from "./custom-resource-definition.ts";
import { LLMServerPoolObjectSpec } from "./llm-server-pool.ts";
import { LLMServiceObjectSpec } from "./llm-service.ts";
import {
  ModelRewriteObjectStatus,
  ObjectiveObjectStatus,
  TwiceSpelledRewriteSpec,
} from "./model-rewrite.ts";
import { stored } from "./stored.ts";

/** The kinds whose CustomResourceDefinitions this project ships. */

const age: PrinterColumn = {
  name: "Age",
  type: "date",
  jsonPath: ".metadata.creationTimestamp",
};

const condition = (type: string, field: "status" | "message" = "status", priority = 0) => ({
  name: field === "status" ? type : "Message",
  type: "string" as const,
  jsonPath: `.status.conditions[?(@.type=="${type}")].${field}`,
  ...(priority > 0 && { priority }),
});

/** Returns the address of a kind: group, version, kind and plural. */
const served = ({ group, version, kind, plural }: KindAddress) => ({
  group,
  version,
  kind,
  plural,
});

const namespaced = {
  scope: "Namespaced",
  statusSubresource: true,
  // `kubectl get inference` lists all of them.
  categories: ["inference"],
} as const;

const rewrite = {
  ...namespaced,
  description: "Rules that replace the model name of requests to a pool.",
  status: ModelRewriteObjectStatus,
  printerColumns: [
    { name: "Inference Pool", type: "string", jsonPath: ".spec.poolRef.name" },
    condition("Accepted"),
    condition("Accepted", "message", 1),
    age,
  ],
} as const;

export const ownKinds: readonly KindDefinition[] = [
  {
    ...namespaced,
    ...served(kinds.InferenceService),
    description: "Engines that serve one model, by role, and the routing of their requests.",
    spec: stored(InferenceServiceSpec),
    status: InferenceServiceStatus,
    // `isvc` is the short name of KServe's kind of the same name.
    shortNames: ["infsvc"],
    printerColumns: [condition("Available"), condition("Available", "message", 1), age],
  },
  {
    ...namespaced,
    ...served(kinds.LLMServerPool),
    description: "Model servers that share their capacity among LLMServices.",
    spec: LLMServerPoolObjectSpec,
    status: LLMServerPoolStatus,
    shortNames: ["llmpool"],
    printerColumns: [
      condition("Accepted"),
      { name: "Pods", type: "integer", jsonPath: ".status.endpoints.known" },
      { name: "Ready", type: "integer", jsonPath: ".status.endpoints.ready" },
      condition("Overlapping", "status", 1),
      age,
    ],
  },
  {
    ...namespaced,
    ...served(kinds.LLMService),
    description: "Model names that a team serves on one or more pools.",
    spec: LLMServiceObjectSpec,
    status: LLMServiceStatus,
    shortNames: ["llmsvc"],
    printerColumns: [
      condition("Accepted"),
      condition("ObjectiveMet"),
      condition("TargetsServed"),
      condition("Accepted", "message", 1),
      age,
    ],
  },
  {
    ...rewrite,
    ...served(kinds.InferenceModelRewrite),
    spec: ModelRewriteSpec,
    shortNames: ["imr"],
  },
  {
    ...namespaced,
    ...served(kinds.InferenceObjective),
    description: "Priority on a pool, which requests name in a header.",
    spec: ObjectiveSpec,
    status: ObjectiveObjectStatus,
    printerColumns: [
      { name: "Inference Pool", type: "string", jsonPath: ".spec.poolRef.name" },
      { name: "Priority", type: "integer", jsonPath: ".spec.priority" },
      age,
    ],
  },
  // The former group of the kind: its objects are still read.
  {
    ...rewrite,
    ...served(addressOf(kinds.InferenceModelRewrite, rewriteVersions[1])),
    otherVersions: ["v1alpha1"],
    spec: TwiceSpelledRewriteSpec,
  },
  {
    ...namespaced,
    ...served(kinds.InferencePoolImport),
    description:
      "InferencePool that other clusters of a set export. Written by controllers, not by users.",
    spec: InferencePoolImportSpec,
    specRequired: false,
    status: InferencePoolImportStatus,
    shortNames: ["infpimp"],
    printerColumns: [
      { name: "Clusters", type: "string", jsonPath: ".status.clusters[*].name" },
      condition("Accepted"),
      condition("Ready"),
      condition("Ready", "message", 1),
      age,
    ],
  },
];

export const ownCrdMetadata: CrdMetadata = { labels: { [label.managedBy]: manager } };

/** Returns this project's CustomResourceDefinitions, as they are in the folder `crds`. */
export const ownCrds = (): CustomResourceDefinition[] =>
  ownKinds.map((kind) => customResourceDefinition(kind, ownCrdMetadata));
