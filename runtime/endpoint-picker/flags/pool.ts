import { groups } from "../../../kubernetes/kinds/groups.ts";
import type { FlagGroup, GroupValues } from "../../manager/flags/command-line.ts";
import { integer, listOf, textOf } from "../../manager/flags/flag-type.ts";

/** The endpoints that a picker picks from, and where it learns of them. */
export const poolFlags = {
  title: "Pool",
  flags: {
    name: {
      name: "pool-name",
      summary: "Name of the InferencePool that this picker picks for.",
      type: textOf("NAME"),
    },
    service: {
      name: "picker-service",
      summary:
        "Name of the picker's own Service, in place of --pool-name: picks for every InferencePool of the namespace that names this Service in endpointPickerRef, for each at the port that it names there.",
      type: textOf("NAME"),
    },
    namespace: {
      name: "pool-namespace",
      summary:
        "Its namespace; without the flag that of the environment variable NAMESPACE, else default.",
      type: textOf("NAMESPACE"),
    },
    group: {
      name: "pool-group",
      summary: "API group of the InferencePool.",
      type: textOf("GROUP"),
      default: groups.inference,
    },
    selector: {
      name: "endpoint-selector",
      summary: "Label selector of the model servers' pods, in place of an InferencePool.",
      type: textOf("SELECTOR"),
    },
    targetPorts: {
      name: "endpoint-target-ports",
      summary: "Ports of the pods of --endpoint-selector, one to eight.",
      type: listOf(integer(1, 65_535, "PORT")),
      default: [],
    },
    file: {
      name: "file-source",
      summary:
        "Reads InferencePool, Pods, InferenceObjectives, InferenceModelRewrites and LLMServices, or the InferencePoolImport, from a YAML file, and again when it changes; no Kubernetes is needed.",
      type: textOf("FILE"),
    },
  },
} satisfies FlagGroup;

export type PoolOptions = GroupValues<typeof poolFlags>;
