import { z } from "zod";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import { groupKind } from "../../../kubernetes/kinds/kind.ts";
import type { ImportSupport } from "../../gateways/gateway.ts";
import { importGatewayTypes, importSupportOf, poolGatewayTypes } from "../../gateways/index.ts";
import { annotation } from "../../names.ts";
import { exportedTo, exportModes } from "../../spec/export.ts";
import { isImport, isPool, poolsOf, routeKind, rulesOf } from "../../stack/pools.ts";
import type { BackendRefShape, RouteShape } from "../../stack/shapes.ts";
import { specsOf } from "../../stack/stack-object.ts";
import { gatewaysOfRoute, type RouteGateway } from "../helpers/route-gateways.ts";
import { rulesOfPack, type StackRule, wholeStack } from "../helpers/stack-rule.ts";
import { exportsAreClosed } from "./export-rules.ts";
import { routesThereTakeWhatIsSent } from "./parent-route-rules.ts";
import { eachRoute } from "./routing-rules.ts";

const { objectRule, stackRule } = rulesOfPack("inference-multi-cluster");

/** Gateway types that a GatewayClass identifies and whose support for pools of other clusters is known. */
const knownTypes = importGatewayTypes.filter((type) =>
  poolGatewayTypes.some((known) => known === type && known !== "generic"),
);

const namedGateways = z
  .record(z.string(), z.enum(knownTypes))
  .default({})
  .describe(
    "Implementation of each Gateway that is not in the stack, by namespace/name. For Gateways in the stack the class determines it.",
  );

const importIsServed = stackRule(
  { id: "import-is-served-by-its-gateway", code: "conflict" },
  {
    title: "A pool of other clusters is a backend only if the gateway supports it",
    why: "Other gateways answer the import's share of requests with 500, or reject the whole rule.",
    source:
      "Multi-Cluster Inference proposal; docs/multi-cluster.md lists what each gateway supports",
    fix: "Route to the other clusters' gateways instead of the import, put the import into a separate rule, or use a gateway that supports both.",
    parameters: z.object({ gateways: namedGateways }),
  },
  wholeStack,
  function* (stack, { parameters: { gateways } }) {
    for (const route of specsOf<RouteShape>(stack, routeKind)) {
      for (const { type } of gatewaysOfRoute(route, stack, gateways)) {
        const known = knownTypes.find((each) => each === type);
        if (known === undefined) continue;
        const support = importSupportOf(known);
        for (const { path, backends } of rulesOf(route)) {
          const at = backends.findIndex((backend) => weightOf(backend) > 0 && isImport(backend));
          const backend = backends[at];
          if (backend === undefined) continue;
          const given = refused(backend, backends, support);
          if (given === undefined) continue;
          yield {
            path: [...path, "backendRefs", at],
            given: `${given}, but the gateway's type is ${type}`,
            allowed: `${takenBy(support)}; ${support.source}`,
            fix: "Change the backends of the rule, or the gateway.",
          };
        }
      }
    }
  },
);

const weightOf = ({ weight = 1 }: BackendRefShape) => weight;

function takenBy({ backend, picked, parents }: ImportSupport): string {
  if (backend !== undefined) return `${backend.kind} of ${backend.group}, in a separate rule`;
  return [
    ...(picked === undefined ? [] : ["the InferencePool of a picker for the import"]),
    ...(parents === undefined
      ? []
      : [`gateways of other clusters${parents.besidePool ? "" : ", in a separate rule"}`]),
  ].join(" or ");
}

/** Returns the reason why a gateway does not accept an import as a backend. Undefined if it accepts it. */
function refused(
  { group, kind }: BackendRefShape,
  backends: readonly BackendRefShape[],
  { backend }: ImportSupport,
): string | undefined {
  const isTaken = `${backend?.group}/${backend?.kind}` === `${group}/${kind}`;
  if (!isTaken) return `is of kind ${kind}`;
  const isBesidePool = backends.some((each) => isPool(each) && weightOf(each) > 0);
  return isBesidePool && backend?.besidePool === "never"
    ? `is ${kind} in a rule with an InferencePool`
    : undefined;
}

const importHasAGateway = stackRule(
  { id: "import-has-a-known-gateway", code: "reference", level: "advisory" },
  {
    title: "A route to a pool of other clusters has a gateway that is known to support it",
    why: "Most gateways reject an import as a backend. Its share of requests then gets 500, although the route looks correct.",
    source: "Multi-Cluster Inference proposal; docs/multi-cluster.md",
    fix: "Add the Gateway to the stack, or name its implementation in this rule's `gateways`.",
    parameters: z.object({ gateways: namedGateways }),
  },
  eachRoute,
  function* (route, { stack, parameters: { gateways } }) {
    const parents = gatewaysOfRoute(route, stack, gateways);
    if (parents.some(({ type }) => knownTypes.some((known) => known === type))) return;
    for (const { path, backends } of rulesOf(route)) {
      const at = backends.findIndex((backend) => weightOf(backend) > 0 && isImport(backend));
      if (at < 0) continue;
      yield {
        path: [...path, "backendRefs", at],
        given: `is ${backends[at]?.kind}, but ${unknown(parents)}`,
        allowed: "an import behind a gateway that is known to support it",
        fix: "Add the Gateway to the stack, or name its implementation in this rule's gateways.",
      };
    }
  },
);

function unknown([parent]: readonly RouteGateway<string>[]): string {
  if (parent === undefined) return "the route has no Gateway";
  return parent.className === undefined
    ? `Gateway ${parent.name} is not in the stack`
    : `GatewayClass ${parent.className} is unknown`;
}

const exportModeHasAnExport = objectRule(
  { id: "export-mode-has-an-export", code: "conflict" },
  {
    title: "A pool with an export mode also has the export annotation",
    why: "The mode alone is ignored, and no other cluster imports the pool.",
    source:
      "Multi-Cluster Inference proposal: 'The export-mode annotation requires the export annotation to be set'",
    fix: `Add the annotation ${annotation.export}: ${exportedTo}, or remove the mode.`,
  },
  wholeStack,
  function* (stack) {
    for (const { object } of poolsOf(stack)) {
      const { annotations = {} } = object.manifest.metadata;
      if (!(annotation.exportMode in annotations) || annotation.export in annotations) continue;
      yield {
        path: [object.index, "metadata", "annotations", annotation.exportMode],
        given: `is ${annotations[annotation.exportMode]} without ${annotation.export}`,
        allowed: "both annotations, or neither",
        fix: "Add the export annotation, or remove the mode.",
      };
    }
  },
);

const exportIsKnown = objectRule(
  { id: "export-annotations-are-known", code: "unknown-value" },
  {
    title: "The export annotations of a pool have known values",
    why: "Any other value is ignored, and no other cluster imports the pool.",
    source:
      "Multi-Cluster Inference proposal: export ClusterSet; export-mode EndpointMode, ParentMode",
    fix: `Set ${annotation.export} to ${exportedTo}, and the mode to ${exportModes.join(" or ")}.`,
  },
  wholeStack,
  function* (stack) {
    for (const { object } of poolsOf(stack)) {
      const { annotations = {} } = object.manifest.metadata;
      for (const [key, allowed] of knownValues) {
        const value = annotations[key];
        if (value === undefined || allowed.includes(value)) continue;
        yield {
          path: [object.index, "metadata", "annotations", key],
          given: `is ${JSON.stringify(value)}`,
          allowed: allowed.join(", "),
          fix: "Set the annotation to an allowed value.",
        };
      }
    }
  },
);

const knownValues: ReadonlyArray<readonly [key: string, allowed: readonly string[]]> = [
  [annotation.export, [exportedTo]],
  [annotation.exportMode, exportModes],
];

const importsAreTheControllers = objectRule(
  { id: "imports-are-left-to-the-controller", code: "conflict", level: "advisory" },
  {
    title: "The controller of a cluster set creates imports, not a stack",
    why: "The controller deletes an import that no cluster exports, and the stack creates it again.",
    source: "Multi-Cluster Inference proposal: InferencePoolImport is created by the controller",
    fix: "Export the pool in its cluster and let the controller create the import.",
  },
  wholeStack,
  function* ({ objects }) {
    for (const { kind, index, manifest } of objects) {
      if (kind !== groupKind(kinds.InferencePoolImport)) continue;
      yield {
        path: [index, "metadata", "name"],
        given: `is ${manifest.metadata.name}, an import that the stack creates`,
        allowed: "only imports that the controller creates",
        fix: "Remove the import from the stack.",
      };
    }
  },
);

export const multiClusterRules: readonly StackRule[] = [
  importIsServed,
  importHasAGateway,
  exportModeHasAnExport,
  exportIsKnown,
  importsAreTheControllers,
  exportsAreClosed,
  routesThereTakeWhatIsSent,
];
