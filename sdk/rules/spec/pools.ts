import { z } from "zod";
import { isDns1035Label } from "../../../kubernetes/values/dns-label.ts";
import { listOf } from "../../../kubernetes/values/records.ts";
import type { Invariant } from "../../invariant.ts";
import { endpointPickerName } from "../../names.ts";
import { besideSharedFields } from "../../spec/shared-picker-port.ts";
import { poolNameBudget } from "../../topology/name-budget.ts";
import type { RawSpec } from "../helpers/raw-spec.ts";
import { exportRules } from "./exports.ts";
import { poolConfigCanBeUsed } from "./picker-config.ts";
import { poolPickerHasMemory } from "./picker-memory.ts";

const proposal = "LLM Instance Gateway proposal, LLMServerPool";

export const poolNameFits: Invariant<RawSpec> = {
  id: "pool-name-fits",
  title: "A pool name is a DNS label that is still valid with the suffix `-epp`",
  why: "The endpoint picker's Service is named after the pool, and the API server rejects longer names.",
  source: "RFC 1035; Kubernetes Service names",
  code: "name",
  *check({ metadata: { name } }) {
    if (typeof name !== "string" || isDns1035Label(endpointPickerName(name))) return;
    yield {
      path: ["metadata", "name"],
      given: `is ${JSON.stringify(name)}`,
      allowed: `lower-case letters, digits and dashes, starting with a letter, at most ${poolNameBudget} characters`,
      fix: "Choose such a name.",
    };
  },
};

function selectorNamesALabel(field: string): Invariant<RawSpec> {
  return {
    id: "pool-selector-names-a-label",
    title: "A pool selects by at least one label",
    why: "An empty selector would select every pod of the namespace, including databases.",
    source: `${proposal}: 'ModelServerSelector uses label selection to watch model server pods'`,
    code: "count",
    *check({ spec }) {
      const selector = spec[field];
      if (selector === null || typeof selector !== "object") return;
      if (Object.keys(selector).length > 0) return;
      yield {
        path: [field],
        given: "is an empty map",
        allowed: "at least one label",
        fix: "Add a label that only the model servers' pods have.",
      };
    },
  };
}

const servicesAreLabels: Invariant<RawSpec> = {
  id: "pool-selects-by-labels",
  title: "A pool selects pods by labels, not by Services",
  why: "Two Services have two selectors, and a pool has only one.",
  source: `${proposal}, LLMServerPoolSpec: 'ModelServerSelector map[string]string'`,
  code: "reference",
  *check({ metadata, spec }) {
    const places: ReadonlyArray<[readonly string[], unknown]> = [
      [["services"], spec.services],
      [["metadata", "services"], (metadata as { services?: unknown }).services],
    ];
    for (const [path, services] of places) {
      if (services === undefined) continue;
      yield {
        path,
        given: "is set to Services",
        allowed: "modelServerSelector, with labels that all pods of the pool have",
        fix: "Add a common label to the pods of these Services and set it in modelServerSelector.",
      };
    }
  },
};

const pickerHasOneSource: Invariant<RawSpec> = {
  id: "pool-picker-has-one-source",
  title:
    "A pool's picker is either deployed or referenced, and configured by either a strategy or a configuration",
  why: "One of the two settings would be ignored.",
  source: `${proposal}: 'When a new LSP object is created, a new ext proc deployment is created'`,
  code: "conflict",
  *check({ spec }) {
    const picker = (spec.endpointPicker ?? {}) as Record<string, unknown>;
    const others = Object.keys(picker).filter(
      (field) => field !== "serviceRef" && picker[field] !== undefined,
    );
    if (picker.serviceRef !== undefined && others.length > 0) {
      yield {
        path: ["endpointPicker", others[0] as string],
        given: "is set together with serviceRef",
        allowed: "only serviceRef, because the referenced picker is deployed elsewhere",
        fix: "Remove one of the two.",
      };
    }
    const ofPods = others.find(
      (field) => field !== "shared" && !besideSharedFields.includes(field),
    );
    if (picker.shared !== undefined && picker.serviceRef === undefined && ofPods !== undefined) {
      yield {
        path: ["endpointPicker", ofPods],
        given: "is set together with shared",
        allowed: `only ${besideSharedFields.join(", ")} with shared, because the SharedEndpointPicker sets the rest for all its pools`,
        fix: "Set it on the SharedEndpointPicker.",
      };
    }
    if (picker.shared !== undefined && spec.export !== undefined) {
      yield {
        path: ["export"],
        given: "is set together with endpointPicker.shared",
        allowed:
          "export only with a picker that is not shared, because other clusters call one port of the picker's Service",
        fix: "Remove endpointPicker.shared, or remove export.",
      };
    }
    for (const field of ["strategy", "kvEvents"])
      if (picker[field] !== undefined && picker.endpointPickerConfig !== undefined)
        yield {
          path: ["endpointPicker", field],
          given: `is ${String(picker[field])} together with endpointPickerConfig`,
          allowed: `${field} or endpointPickerConfig`,
          fix: "Remove one of the two.",
        };
  },
};

const portsDiffer: Invariant<RawSpec> = {
  id: "pool-ports-differ",
  title: "The target ports of a pool are unique",
  why: "The API server rejects duplicate ports.",
  source: "Gateway API inference extension, InferencePool targetPorts",
  code: "conflict",
  *check({ spec }) {
    if (!Array.isArray(spec.targetPorts)) return;
    for (const [at, port] of spec.targetPorts.entries()) {
      const first = spec.targetPorts.indexOf(port);
      if (first === at) continue;
      yield {
        path: ["targetPorts", at],
        given: `is ${String(port)}, the same as targetPorts[${first}]`,
        allowed: "each port once",
        fix: "Remove one of the two.",
      };
    }
  },
};

const written = z.union([
  z.string(),
  z.object({ namespace: z.string(), models: z.unknown().optional() }),
]);

const namespacesAreNamedOnce: Invariant<RawSpec> = {
  id: "pool-admits-a-namespace-once",
  title: "allowedNamespaces of a pool lists each namespace once",
  why: "Only one of two entries could define which names the namespace may register.",
  source: "docs/pools.md, Across namespaces and stacks",
  code: "conflict",
  *check({ spec }) {
    const names = listOf(spec.allowedNamespaces).map(namespaceIn);
    for (const [at, name] of names.entries()) {
      const first = names.indexOf(name);
      if (first === at || name === undefined) continue;
      yield {
        path: ["allowedNamespaces", at],
        given: `is ${name}, the same as allowedNamespaces[${first}]`,
        allowed: "each namespace once",
        fix: "Merge the two entries into one that lists all names.",
      };
    }
  },
};

export const openPoolsKeepTheirModels: Invariant<RawSpec> = {
  id: "open-pool-reserves-its-models",
  title: "A pool that serves unregistered models reserves its own model names",
  why: "A team that registers the base model's name would redirect all clients' requests to its own adapter, or block the name.",
  source: "docs/security.md, threat model: a team with LLMServices",
  code: "conflict",
  *check({ metadata, spec }) {
    if (spec.allowUnregisteredModels !== true || spec.reservedModels !== undefined) return;
    for (const [at, entry] of listOf(spec.allowedNamespaces).entries()) {
      const read = written.safeParse(entry).data;
      if (read === undefined || namespaceIn(entry) === (metadata.namespace ?? "default")) continue;
      if (typeof read !== "string" && read.models !== undefined) continue;
      yield {
        path: ["allowedNamespaces", at],
        given: "may register any name, and allowUnregisteredModels is true",
        allowed: "models in the entry, or reservedModels on the pool",
        fix: 'Set reservedModels, such as ["meta-llama/Llama-3-8B"], or [] if any name may be registered.',
      };
    }
  },
};

const waitingFields = ["fairness", "flowControl"] as const;

/** These fields take effect only through the configuration of a picker that this component deploys. */
const waitingIsPlanned: Invariant<RawSpec> = {
  id: "pool-flow-control-is-planned",
  title: "flowControl requires a picker whose configuration the plan writes",
  why: "It has no effect on a custom configuration or on a picker that is deployed elsewhere.",
  source: "docs/pools.md, When requests wait",
  code: "conflict",
  *check({ spec }) {
    const picker = (spec.endpointPicker ?? {}) as Record<string, unknown>;
    const other = (["serviceRef", "endpointPickerConfig"] as const).find(
      (field) => picker[field] !== undefined,
    );
    const field = waitingFields.find((name) => spec[name] !== undefined);
    if (other === undefined || field === undefined) return;
    yield {
      path: [field],
      given: `is set together with endpointPicker.${other}`,
      allowed: `${field} only if the plan writes the picker's configuration`,
      fix: `Remove ${field}, and set it in that picker's configuration.`,
    };
  },
};

const fairnessNeedsFlowControl: Invariant<RawSpec> = {
  id: "pool-fairness-needs-flow-control",
  title: "fairness requires flow control",
  why: "The picker can order only the requests that wait in its own queue, not those at the model servers.",
  source: "docs/pools.md, When requests wait",
  code: "conflict",
  *check({ spec }) {
    const { enabled } = (spec.flowControl ?? {}) as { enabled?: unknown };
    if (spec.fairness === undefined || enabled !== false) return;
    yield {
      path: ["fairness"],
      given: "is set, but flowControl.enabled is false",
      allowed: "fairness with flow control enabled",
      fix: "Remove flowControl.enabled, or remove fairness.",
    };
  },
};

function namespaceIn(entry: unknown): string | undefined {
  const read = written.safeParse(entry).data;
  return typeof read === "string" ? read : read?.namespace;
}

export const inferencePoolRules: ReadonlyArray<Invariant<RawSpec>> = [
  poolNameFits,
  selectorNamesALabel("selector"),
  pickerHasOneSource,
  poolConfigCanBeUsed,
  poolPickerHasMemory,
  portsDiffer,
  ...exportRules,
];

export const llmServerPoolRules: ReadonlyArray<Invariant<RawSpec>> = [
  poolNameFits,
  selectorNamesALabel("modelServerSelector"),
  servicesAreLabels,
  pickerHasOneSource,
  poolConfigCanBeUsed,
  poolPickerHasMemory,
  portsDiffer,
  namespacesAreNamedOnce,
  waitingIsPlanned,
  fairnessNeedsFlowControl,
  openPoolsKeepTheirModels,
  ...exportRules,
];
