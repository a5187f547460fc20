import { flaggedPort } from "../engines/server.ts";
import { createdGateway } from "../gateways/index.ts";
import type { Invariant } from "../invariant.ts";
import { isDisaggregated } from "../spec/inference-service.ts";
import { routingStrategies } from "../spec/role.ts";
import { plannedSidecarOf, takesArguments } from "../topology/decode-sidecar.ts";
import { engineIndexOf, engineOf } from "../topology/engine-container.ts";
import { canPublishKvEvents, kvEventsFlag } from "../topology/kv-events.ts";
import { inferencePoolName } from "../topology/names.ts";
import { needsReadinessProbe, routedRoles, servingPortOfRole } from "../topology/serving-port.ts";
import { argumentsPath } from "./arguments-path.ts";
import { gatewayReachesTlsEngines } from "./engine-tls.ts";
import { ranksAreHeard } from "./kv-event-ranks.ts";
import { inferenceRoles, type PartialSpec, routers } from "./partial-spec.ts";
import { routerConfigCanBeUsed } from "./picker-config.ts";
import { routerHasRoom } from "./picker-memory.ts";
import { routerSharesItsPicker } from "./shared-picker.ts";

const singleNodeStrategies = routingStrategies.filter((name) => name !== "pd-disaggregation");

const oneRouter: Invariant<PartialSpec> = {
  id: "service-has-one-router",
  title: "A service has at most one router",
  why: "Router objects are named after the service alone; two would overwrite each other.",
  source:
    "InferenceService router objects: '{service}-epp', '{service}-pool', '{service}-httproute'",
  code: "conflict",
  *check({ roles }) {
    const [first, ...others] = roles.filter(({ componentType }) => componentType === "router");
    for (const { index } of others) {
      yield {
        path: ["roles", index, "componentType"],
        given: `is router, as roles[${first?.index}] is`,
        allowed: "one router per service",
        fix: "Remove one of them.",
      };
    }
  },
};

const strategyFitsRoles: Invariant<PartialSpec> = {
  id: "strategy-fits-roles",
  title: "Prefillers and decoders are routed by pd-disaggregation, workers by another strategy",
  why: "Another strategy sends users' requests to prefillers; pd-disaggregation finds no worker.",
  source: "InferenceService routing strategies; trap of a silent fallback",
  code: "conflict",
  *check(spec) {
    const disaggregated = isDisaggregated(spec.roles);
    for (const { index, role } of routers(spec)) {
      const { strategy } = role;
      if (strategy === undefined || (strategy === "pd-disaggregation") === disaggregated) continue;
      yield {
        path: ["roles", index, "strategy"],
        given: `is ${strategy}`,
        allowed: disaggregated
          ? "pd-disaggregation, since the service has prefillers and decoders"
          : `${singleNodeStrategies.join(", ")}, since the service has no prefillers and decoders`,
        fix: "Change it, or leave it out for the default.",
      };
    }
  },
};

const oneSourceOfPickerConfig: Invariant<PartialSpec> = {
  id: "picker-config-has-one-source",
  title: "A router has a strategy or a configuration of its own, not both",
  why: "One of them would be ignored.",
  source:
    "InferenceService design: 'EndpointPickerConfig is raw YAML for advanced EPP customization'",
  code: "conflict",
  *check(spec) {
    for (const { index, role } of routers(spec)) {
      if (role.endpointPickerConfig === undefined) continue;
      if (role.flowControl !== undefined) {
        yield {
          path: ["roles", index, "flowControl"],
          given: "is set beside endpointPickerConfig",
          allowed: "flowControl where the picker's configuration is planned",
          fix: "Remove flowControl, and say it in endpointPickerConfig.",
        };
      }
      if (role.strategy === undefined) continue;
      yield {
        path: ["roles", index, "strategy"],
        given: `is ${role.strategy} beside endpointPickerConfig`,
        allowed: "strategy or endpointPickerConfig",
        fix: "Remove one of them.",
      };
    }
  },
};

const backendsAreOurs: Invariant<PartialSpec> = {
  id: "route-backends-are-the-pool",
  title: "Route rules lead to the service's pool",
  why: "The plan sends every rule to the service's pool; a written backend would be dropped.",
  source: "InferenceService HTTPRoute: backendRefs is the InferencePool '{service}-pool'",
  code: "conflict",
  *check(spec) {
    for (const { index, role } of routers(spec)) {
      for (const [at, rule] of (role.httproute?.rules ?? []).entries()) {
        if (rule.backendRefs === undefined || isPool(rule.backendRefs, spec)) continue;
        yield {
          path: ["roles", index, "httproute", "rules", at, "backendRefs"],
          given: "names other backends",
          allowed: "nothing, or the service's pool alone, which every rule leads to",
          fix: "Remove it, or route to other backends in an HTTPRoute of your own.",
        };
      }
    }
  },
};

/** Whether a rule repeats what the plan sets, as a route read back from a cluster does. */
const isPool = (backendRefs: unknown, { name }: PartialSpec): boolean =>
  Array.isArray(backendRefs) &&
  backendRefs.length === 1 &&
  backendRefs[0]?.kind === "InferencePool" &&
  backendRefs[0]?.name === inferencePoolName(name);

const gatewayIsWhole: Invariant<PartialSpec> = {
  id: "gateway-is-whole",
  title: "A router's gateway is a kind of gateway, a whole Gateway to create, or both",
  why: "An API server refuses a Gateway without a class or listeners, and an empty one says nothing.",
  source: "Gateway API, GatewaySpec: gatewayClassName and listeners are required",
  code: "shape",
  *check(spec) {
    for (const { index, role } of routers(spec)) {
      if (role.gateway === undefined) continue;
      const created = createdGateway(role.gateway);
      if (created === undefined && role.gateway.type !== undefined) continue;
      const absent = ["gatewayClassName", "listeners"].filter((field) =>
        isAbsent(created?.[field]),
      );
      if (absent.length === 0) continue;
      yield {
        path: ["roles", index, "gateway"],
        given: created === undefined ? "is empty" : `has no ${absent.join(" and no ")}`,
        allowed:
          'a kind, as { type: "istio" }, for a Gateway that is there already; or a Gateway to create, as ' +
          '{ gatewayClassName: "istio", listeners: [{ name: "http", port: 80, protocol: "HTTP" }] }',
        fix:
          created === undefined
            ? "Write one of them, or leave `gateway` out."
            : "Add what is missing, or name the Gateway that is there in httproute.parentRefs.",
      };
    }
  },
};

const isAbsent = (value: unknown) =>
  value === undefined || value === "" || (Array.isArray(value) && value.length === 0);

const routeHasParent: Invariant<PartialSpec> = {
  id: "route-has-a-parent",
  title: "A route attaches to a Gateway",
  why: "A route without a parent carries no traffic, and nothing reports it.",
  source: "Gateway API, HTTPRoute parentRefs",
  code: "reference",
  *check(spec) {
    for (const { index, role } of routers(spec)) {
      if (role.httproute === undefined || createdGateway(role.gateway) !== undefined) continue;
      if ((role.httproute.parentRefs ?? []).length > 0) continue;
      yield {
        path: ["roles", index, "httproute", "parentRefs"],
        given: role.httproute.parentRefs === undefined ? "is missing" : "is an empty list",
        allowed: "at least one Gateway",
        fix: "Name a Gateway, or let the router create one with `gateway`.",
      };
    }
  },
};

const servingPortIsKnown: Invariant<PartialSpec> = {
  id: "serving-port-is-known",
  title: "The port that serves the model is known",
  why: "The pool sends requests there and a multi-node leader is ready when it answers there.",
  source: "Gateway API inference extension, InferencePool targetPorts",
  code: "reference",
  *check(spec) {
    const router = routers(spec)[0]?.role;
    for (const { index, role } of inferenceRoles(spec)) {
      if (router === undefined && !needsReadinessProbe(role)) continue;
      if (servingPortOfRole(role, router) !== undefined) continue;
      yield {
        path: ["roles", index, "port"],
        given: "is left out, and the template does not contain the port of its engine",
        allowed:
          "a port number, a container port named http, or a command of vLLM, SGLang or TensorRT-LLM whose --port can be read",
        fix: "Set port.",
      };
    }
  },
};

const rolesServeOnOnePort: Invariant<PartialSpec> = {
  id: "roles-serve-on-one-port",
  title: "Roles behind one router serve on one port",
  why: "One pool has one port for all of its pods; the others would get no request.",
  source: "Gateway API inference extension, InferencePool targetPorts",
  code: "conflict",
  *check(spec) {
    const router = routers(spec)[0]?.role;
    if (router === undefined) return;
    const [first, ...others] = routedRoles(inferenceRoles(spec).map(({ role }) => role)).flatMap(
      (role) => {
        const port = servingPortOfRole(role, router);
        return port === undefined ? [] : [{ role, port }];
      },
    );
    for (const { role, port } of others) {
      if (port === first?.port) continue;
      const index = inferenceRoles(spec).find((placed) => placed.role === role)?.index ?? 0;
      const engine = engineIndexOf(role.template.spec);
      yield {
        path: ["roles", index, "template", "spec", "containers", engine, "ports"],
        given: `serves on ${port}`,
        allowed: `${first?.port}, as role ${first?.role.name} does`,
        fix: "Serve on one port, or set the router's targetPort or targetPorts.",
      };
    }
  },
};

const portsAreOfEveryPod: Invariant<PartialSpec> = {
  id: "router-ports-match-every-pod",
  title: "A router names each port of its pods once, and one port in front of decode sidecars",
  why: "The API server refuses a port that occurs twice. A decode sidecar serves on one port, and nobody answers on the others.",
  source: "Gateway API inference extension, InferencePool targetPorts; docs/prefill-decode.md",
  code: "conflict",
  *check(spec) {
    const [router] = routers(spec);
    const { targetPorts = [], targetPort } = router?.role ?? {};
    const at = (...rest: number[]) => ["roles", router?.index ?? 0, "targetPorts", ...rest];
    for (const [index, port] of targetPorts.entries()) {
      const first = targetPorts.indexOf(port);
      if (first === index) continue;
      yield {
        path: at(index),
        given: `is ${port}, as targetPorts[${first}] is`,
        allowed: "each port once",
        fix: "Remove one of them.",
      };
    }
    if (targetPorts.length > 0 && targetPort !== targetPorts[0]) {
      yield {
        path: ["roles", router?.index ?? 0, "targetPort"],
        given: `is ${targetPort}, and targetPorts[0] is ${targetPorts[0]}`,
        allowed: "the first of targetPorts, or none",
        fix: "Remove targetPort.",
      };
    }
    const roles = spec.roles.flatMap(({ role }) => role ?? []);
    const behind = inferenceRoles(spec).find(({ role }) => plannedSidecarOf(role, { roles }));
    if (targetPorts.length < 2 || behind === undefined) return;
    yield {
      path: at(),
      given: `has ${targetPorts.length} ports, and role ${behind.role.name} has a decode sidecar`,
      allowed: "one port, on which the sidecar serves",
      fix: "Name one port, or set sidecar: false with a sidecar of the template's own.",
    };
  },
};

const decoderGoesBehindItsSidecar: Invariant<PartialSpec> = {
  id: "decoder-port-is-configurable",
  title: "A decoder's engine can be told another port, since its sidecar serves on the pool's",
  why: "Two servers of a pod on one port: one of them does not start.",
  source: "llm-d, disaggregated serving: routing sidecar; docs/prefill-decode.md",
  code: "conflict",
  *check(spec) {
    const roles = spec.roles.flatMap(({ role }) => role ?? []);
    for (const { index, role } of inferenceRoles(spec)) {
      const place = plannedSidecarOf(role, { roles });
      const engine = engineOf(role.template.spec);
      if (place === undefined || flaggedPort(engine) === place.enginePort || takesArguments(engine))
        continue;
      yield {
        path: argumentsPath(index, role.template.spec),
        given: "start an engine in a way in which its port is not known",
        allowed: `vLLM or SGLang by their arguments, or --port with another port than ${place.servingPort}, on which the decode sidecar serves`,
        fix: `Write --port ${place.enginePort}, or sidecar: false.`,
      };
    }
  },
};

const kvEventsComeFromVllm: Invariant<PartialSpec> = {
  id: "kv-events-need-vllm",
  title: "Engines whose KV events the picker hears are vLLM by its arguments",
  why: "Their events are turned on by an argument; an engine that does not get it is never heard.",
  source: "vLLM: --kv-events-config; docs/prefix-cache.md",
  code: "conflict",
  *check(spec) {
    if (!routers(spec).some(({ role }) => role.kvEvents === true)) return;
    for (const { index, role } of inferenceRoles(spec)) {
      const engine = engineOf(role.template.spec);
      if (canPublishKvEvents(engine)) continue;
      yield {
        path: argumentsPath(index, role.template.spec),
        given: "start an engine that cannot be told to publish its KV events",
        allowed: `vLLM by its arguments, or a command with ${kvEventsFlag} of its own, since the router has kvEvents`,
        fix: `Write ${kvEventsFlag}, or leave kvEvents out.`,
      };
    }
  },
};

export const routerRules: ReadonlyArray<Invariant<PartialSpec>> = [
  gatewayReachesTlsEngines,
  oneRouter,
  strategyFitsRoles,
  oneSourceOfPickerConfig,
  routerConfigCanBeUsed,
  routerSharesItsPicker,
  routerHasRoom,
  backendsAreOurs,
  gatewayIsWhole,
  routeHasParent,
  servingPortIsKnown,
  rolesServeOnOnePort,
  portsAreOfEveryPod,
  decoderGoesBehindItsSidecar,
  kvEventsComeFromVllm,
  ranksAreHeard,
];
