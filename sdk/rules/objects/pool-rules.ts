import { eachPool, rulesOfPack, type StackRule } from "../helpers/stack-rule.ts";

/** Rules on fields of a pool that the API server or the gateway refuses. */

const { objectRule } = rulesOfPack("inference-routing");

const mostPorts = 8;

const poolPortsAreUnique = objectRule(
  { id: "pool-has-1-to-8-ports", code: "count" },
  {
    title: "A pool has one to eight different ports",
    why: "The API server refuses any other list.",
    source: "Gateway API inference extension: InferencePool targetPorts, 1 to 8 unique numbers",
    fix: "Set one port for each data-parallel rank of a pod, at most eight.",
  },
  eachPool,
  function* ({ spec: { targetPorts }, path }) {
    if (targetPorts === undefined) return;
    const numbers = targetPorts.map(({ number }) => number);
    const given =
      numbers.length === 0 || numbers.length > mostPorts
        ? `has ${numbers.length} ports`
        : new Set(numbers).size < numbers.length
          ? `has a port twice: ${numbers.join(", ")}`
          : undefined;
    if (given === undefined) return;
    yield {
      path: [...path, "targetPorts"],
      given,
      allowed: `1 to ${mostPorts} different ports`,
      fix: "Remove ports, or divide the ranks over more pods.",
    };
  },
);

const pickerHasAPort = objectRule(
  { id: "picker-reference-has-a-port", code: "reference" },
  {
    title: "A pool whose picker is a Service sets the picker's port",
    why: "The API server refuses the pool: port is required for the kind Service, which is also the default.",
    source: "Gateway API inference extension: InferencePool endpointPickerRef, CEL rule of v1",
    fix: "Set endpointPickerRef.port.number to the Service's port for ext_proc, 9002 by default.",
  },
  eachPool,
  function* ({ spec: { endpointPickerRef: picker }, path }) {
    if (picker === undefined || (picker.kind ?? "Service") !== "Service") return;
    if (picker.port?.number !== undefined) return;
    yield {
      path: [...path, "endpointPickerRef", "port", "number"],
      given: "is missing",
      allowed: `a port of Service ${picker.name}`,
      fix: "Set it, for example to 9002.",
    };
  },
);

const pickerIsAService = objectRule(
  { id: "pool-picker-is-a-service", code: "reference" },
  {
    title: "The picker of a pool is a Service",
    why: "Gateways open ext_proc connections to a Service. With another kind the reference is not resolved, and no request is served.",
    source:
      "Gateway API inference extension: endpointPickerRef; issue 2915, and agentgateway issue 1719",
    fix: "Name the Service of the endpoint picker, without a group and kind.",
  },
  eachPool,
  function* ({ spec: { endpointPickerRef: picker }, path }) {
    const { kind = "Service" } = picker ?? {};
    if (kind === "Service") return;
    yield {
      path: [...path, "endpointPickerRef", "kind"],
      given: `is ${kind}`,
      allowed: "Service",
      fix: "Set it to the picker's Service.",
    };
  },
);

export const poolRules: readonly StackRule[] = [
  poolPortsAreUnique,
  pickerHasAPort,
  pickerIsAService,
];
