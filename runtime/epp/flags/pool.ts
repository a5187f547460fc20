import { groups } from "../../../kubernetes/kinds/groups.ts";
import type { FlagGroup, GroupValues } from "../../manager/flags/command-line.ts";
import { integer, listOf, textOf } from "../../manager/flags/flag-type.ts";

/** Flags for the endpoints of a picker and the source that lists them. */
export const poolFlags = {
  title: "Pool",
  flags: {
    name: {
      name: "pool-name",
      summary: "Name of the InferencePool that this picker serves.",
      type: textOf("NAME"),
    },
    service: {
      name: "picker-service",
      summary:
        "Name of the picker's Service, instead of --pool-name: the picker serves every InferencePool of the namespace whose endpointPickerRef names this Service, each on the port set there.",
      type: textOf("NAME"),
    },
    namespace: {
      name: "pool-namespace",
      summary: "Namespace of the pool or Service. Without the flag: $NAMESPACE, otherwise default.",
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
      summary: "Label selector of the model servers' pods, instead of an InferencePool.",
      type: textOf("SELECTOR"),
    },
    targetPorts: {
      name: "endpoint-target-ports",
      summary: "Ports of the pods of --endpoint-selector, 1 to 8.",
      type: listOf(integer(1, 65_535, "PORT")),
      default: [],
    },
    file: {
      name: "file-source",
      summary:
        "Reads InferencePool, Pods, InferenceObjectives, InferenceModelRewrites and LLMServices, or the InferencePoolImport, from a YAML file, and reloads it when it changes. Needs no Kubernetes.",
      type: textOf("FILE"),
    },
  },
} satisfies FlagGroup;

export type PoolOptions = GroupValues<typeof poolFlags>;
