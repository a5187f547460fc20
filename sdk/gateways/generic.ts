import { groups } from "../../kubernetes/kinds/groups.ts";
import type { Gateway } from "./gateway.ts";

/** Any gateway that implements the inference extension for InferencePools. */
export const generic = {
  title: "Any gateway that implements the inference extension for InferencePools",
  ownKinds: {},
  pools: {
    classes: [],
    proxies: "in-cluster",
    pickerTimeoutSeconds: Number.POSITIVE_INFINITY,
    reachesTls: undefined,
    objects: () => [],
    planned: "nothing",
    source: "Gateway API inference extension, implementers' guide",
  },
  imports: {
    summary: "Any gateway, with standard Gateway API objects only.",
    backend: {
      group: groups.inferenceExperimental,
      kind: "InferencePoolImport",
      isPlanned: false,
      besidePool: "if-accepted",
    },
    picked: "beside-pool",
    parents: undefined,
    docs: {
      alone: "InferencePoolImport",
      besidePool: "with `acceptsImports: true`",
      picker: "yes, also by weight, if it sends requests to any address that a picker returns",
      parents: "no",
    },
    source: "Multi-Cluster Inference proposal",
  },
} as const satisfies Gateway;
