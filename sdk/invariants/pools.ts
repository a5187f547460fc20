import { z } from "zod";
import { isDns1035Label } from "../../kubernetes/values/dns-label.ts";
import type { Invariant } from "../invariant.ts";
import { besideSharedFields } from "../spec/shared-picker-port.ts";
import { poolNameBudget } from "../topology/name-budget.ts";
import { endpointPickerName } from "../topology/names.ts";
import { exportRules } from "./exports.ts";
import { poolConfigCanBeUsed } from "./picker-config.ts";
import { poolPickerHasRoom } from "./picker-memory.ts";
import type { RawSpec } from "./raw-spec.ts";

const proposal = "LLM Instance Gateway proposal, LLMServerPool";

export const poolNameFits: Invariant<RawSpec> = {
  id: "pool-name-fits",
  title: "A pool name is a DNS label that leaves room for `-epp`",
  why: "The Service of its endpoint picker is named after it, and the API server refuses longer names.",
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
    why: "An empty selector would take every pod of the namespace, databases too.",
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
        fix: "Name a label that the model servers' pods have and no others.",
      };
    },
  };
}

const servicesAreLabels: Invariant<RawSpec> = {
  id: "pool-selects-by-labels",
  title: "A pool selects pods by labels, not by Services",
  why: "The selectors of two Services are two sets of labels, and a pool has one.",
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
        given: "names Services",
        allowed: "modelServerSelector, with labels that all pods of the pool have",
        fix: "Give the pods of these Services one label in common and select by it.",
      };
    }
  },
};

const pickerHasOneSource: Invariant<RawSpec> = {
  id: "pool-picker-has-one-source",
  title: "A pool's picker is deployed or referred to, configured by a strategy or by a string",
  why: "What the other says would be ignored.",
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
        given: "is set beside serviceRef",
        allowed: "serviceRef alone, since that picker is somebody else's",
        fix: "Remove one of them.",
      };
    }
    const ofPods = others.find(
      (field) => field !== "shared" && !besideSharedFields.includes(field),
    );
    if (picker.shared !== undefined && picker.serviceRef === undefined && ofPods !== undefined) {
      yield {
        path: ["endpointPicker", ofPods],
        given: "is set beside shared",
        allowed: `${besideSharedFields.join(", ")} beside shared, since pods and pages are those of the SharedEndpointPicker`,
        fix: "Say it of the SharedEndpointPicker.",
      };
    }
    if (picker.shared !== undefined && spec.export !== undefined) {
      yield {
        path: ["export"],
        given: "is set beside endpointPicker.shared",
        allowed:
          "export of a pool with a picker of its own, since other clusters ask one port of a Service",
        fix: "Remove shared, or do not export the pool.",
      };
    }
    for (const field of ["strategy", "kvEvents"])
      if (picker[field] !== undefined && picker.endpointPickerConfig !== undefined)
        yield {
          path: ["endpointPicker", field],
          given: `is ${String(picker[field])} beside endpointPickerConfig`,
          allowed: `${field} or endpointPickerConfig`,
          fix: "Remove one of them.",
        };
  },
};

const portsDiffer: Invariant<RawSpec> = {
  id: "pool-ports-differ",
  title: "A pool names each port once",
  why: "The API server refuses a port that occurs twice.",
  source: "Gateway API inference extension, InferencePool targetPorts",
  code: "conflict",
  *check({ spec }) {
    if (!Array.isArray(spec.targetPorts)) return;
    for (const [at, port] of spec.targetPorts.entries()) {
      const first = spec.targetPorts.indexOf(port);
      if (first === at) continue;
      yield {
        path: ["targetPorts", at],
        given: `is ${String(port)}, as targetPorts[${first}] is`,
        allowed: "each port once",
        fix: "Remove one of them.",
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
  title: "A pool admits a namespace once",
  why: "Of two entries of one namespace only one could say which names it may register.",
  source: "docs/pools.md, Across namespaces and stacks",
  code: "conflict",
  *check({ spec }) {
    const names = listOf(spec.allowedNamespaces).map(namespaceIn);
    for (const [at, name] of names.entries()) {
      const first = names.indexOf(name);
      if (first === at || name === undefined) continue;
      yield {
        path: ["allowedNamespaces", at],
        given: `is ${name}, as allowedNamespaces[${first}] is`,
        allowed: "each namespace once",
        fix: "Put all names that it may register into one entry.",
      };
    }
  },
};

export const openPoolsKeepTheirModels: Invariant<RawSpec> = {
  id: "open-pool-reserves-its-models",
  title: "A pool that serves unregistered models says which names other namespaces may not take",
  why: "A team that registers the base model's name would turn everybody's requests to its own adapter, or close the name.",
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
        allowed: "models in the entry, or reservedModels beside it",
        fix: 'Give reservedModels, such as ["meta-llama/Llama-3-8B"], or [] where any name may be taken.',
      };
    }
  },
};

const waitingFields = ["fairness", "flowControl"] as const;

/** Fields that are planned into the configuration of a picker that this component deploys. */
const waitingIsPlanned: Invariant<RawSpec> = {
  id: "pool-flow-control-is-planned",
  title: "Flow control is that of a picker whose configuration is planned",
  why: "In a configuration or a picker of somebody else it would have no effect.",
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
      given: `is set beside endpointPicker.${other}`,
      allowed: `${field} where the picker's configuration is planned`,
      fix: `Remove ${field}, and say it in the configuration of that picker.`,
    };
  },
};

const fairnessNeedsFlowControl: Invariant<RawSpec> = {
  id: "pool-fairness-needs-flow-control",
  title: "Fairness is given to a pool whose requests wait in the picker",
  why: "Where requests wait at the model servers, nothing can order them.",
  source: "docs/pools.md, When requests wait",
  code: "conflict",
  *check({ spec }) {
    const { enabled } = (spec.flowControl ?? {}) as { enabled?: unknown };
    if (spec.fairness === undefined || enabled !== false) return;
    yield {
      path: ["fairness"],
      given: "is set, and flowControl.enabled is false",
      allowed: "fairness where requests wait in the picker",
      fix: "Remove flowControl.enabled, or fairness.",
    };
  },
};

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function namespaceIn(entry: unknown): string | undefined {
  const read = written.safeParse(entry).data;
  return typeof read === "string" ? read : read?.namespace;
}

export const inferencePoolRules: ReadonlyArray<Invariant<RawSpec>> = [
  poolNameFits,
  selectorNamesALabel("selector"),
  pickerHasOneSource,
  poolConfigCanBeUsed,
  poolPickerHasRoom,
  portsDiffer,
  ...exportRules,
];

export const llmServerPoolRules: ReadonlyArray<Invariant<RawSpec>> = [
  poolNameFits,
  selectorNamesALabel("modelServerSelector"),
  servicesAreLabels,
  pickerHasOneSource,
  poolConfigCanBeUsed,
  poolPickerHasRoom,
  portsDiffer,
  namespacesAreNamedOnce,
  waitingIsPlanned,
  fairnessNeedsFlowControl,
  openPoolsKeepTheirModels,
  ...exportRules,
];
