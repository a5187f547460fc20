import { groups } from "../../kubernetes/kinds/groups.ts";
import type { Gateway } from "./gateway.ts";

/** Any gateway in front of llm-d's multi-cluster picker, which an InferencePool without pods represents. */
export const llmDGlobalEpp = {
  title: "llm-d's global picker",
  ownKinds: {},
  pools: undefined,
  imports: {
    summary:
      "Any gateway that sends requests to any endpoint that a picker returns, with llm-d's global picker.",
    backend: {
      group: groups.inference,
      kind: "InferencePool",
      isPlanned: true,
      besidePool: "always",
    },
    picked: undefined,
    parents: undefined,
    docs: {
      alone: "an InferencePool of llm-d's multi-cluster picker, with `import-agent`",
      besidePool: "yes",
      picker: "no: llm-d's picker, `globalPicker`",
      parents: "no; the clusters' gateways come from the import",
    },
    source: "llm-d-router: multicluster-file-discovery, whose endpoints are gateways of clusters",
  },
} as const satisfies Gateway;
