import { acceleratorResources } from "../../kubernetes/values/accelerators.ts";
import { type Constant, constantRows } from "../../scheduling/load-constants.ts";
import { acceleratorNames, acceleratorTypes } from "../../sdk/engines/accelerators/index.ts";
import { executorNames, executors } from "../../sdk/engines/groups/index.ts";
import { engines } from "../../sdk/engines/index.ts";
import type { Engine } from "../../sdk/engines/interface/engine.ts";
import type { Executor } from "../../sdk/engines/interface/executor.ts";
import { modelRows } from "../../sdk/engines/models/model-rows.ts";
import type { Credential } from "../../sdk/gateways/access-support.ts";
import type { Gateway, PoolSupport } from "../../sdk/gateways/gateway.ts";
import { accessSupportOf, gateways, poolGatewayTypes } from "../../sdk/gateways/index.ts";
import { code, codes, table } from "./table.ts";

/** Tables of the alternatives in specs, and of the constants of load prediction. */

export function executorTable(): string[] {
  return table(
    ["executor", "the plan adds", "they meet on"],
    executorNames.map((name) => {
      const { title, adds, bootstrap }: Executor = executors[name];
      return [
        `\`${name}\`: ${title}`,
        adds,
        bootstrap?.groupPort.port ?? "a port of its own choice",
      ];
    }),
  );
}

export function acceleratorTable(): string[] {
  return table(
    ["maker", "resources", "one device"],
    acceleratorResources.map(({ maker, names, perDevice = 1 }) => [
      maker,
      codes(names),
      perDevice === "unknown" ? "an unspecified amount, so they are not counted" : perDevice,
    ]),
  );
}

export function modelTable(): string[] {
  return table(
    [
      "model",
      "task",
      "billion parameters",
      "weights, GiB",
      "context, tokens",
      "attention",
      "gated",
    ],
    modelRows().map(({ name, task, parametersBillion, weightsGiB, context, attention, gated }) => [
      code(name),
      task,
      parametersBillion.toFixed(1),
      weightsGiB.toFixed(1),
      context.toLocaleString("en-US"),
      attention,
      gated ? "yes" : "",
    ]),
  );
}

export function typeTable(): string[] {
  return table(
    [
      "`accelerator`",
      "device",
      "memory, GiB",
      "of a node",
      "resource",
      "engines with a known image",
    ],
    acceleratorNames.map((name) => {
      const { title, platform, resource, memoryGiB, perNode } = acceleratorTypes[name];
      const known = Object.values<Engine>(engines).filter(
        ({ serving }) => serving.image(platform, undefined) !== undefined,
      );
      const titles = known.map((engine) => engine.title);
      const memory = Number.isFinite(memoryGiB) ? memoryGiB.toFixed(1) : "set by the pod";
      return [
        code(name),
        title,
        memory,
        perNode,
        resource ? code(resource) : "",
        titles.join(", "),
      ];
    }),
  );
}

export function constantTable(): string[] {
  return table(
    ["constant", "value", "unit", "shown by", "reason"],
    Object.entries<Constant>(constantRows).map(([name, { value, unit, shownBy, reason }]) => [
      code(name),
      value.toLocaleString("en-US"),
      unit,
      shownBy,
      reason,
    ]),
  );
}

function cuts(pools: PoolSupport | undefined): string {
  if (pools?.refusesTimeouts)
    return "no; planned routes have no `timeouts`, because it rejects them";
  const seconds = pools?.answerLimitSeconds;
  return seconds === undefined
    ? ""
    : `after ${seconds} s, unless disabled; planned routes set \`timeouts.request: 0s\``;
}

export function accessTable(): string[] {
  return table(
    ["`gateway.type`", "API keys", "tokens", "planned"],
    poolGatewayTypes.map((type) => {
      const support = accessSupportOf(type);
      const has = (credential: Credential) =>
        support?.credentials.includes(credential) ? "yes" : "no";
      return [code(type), has("apiKeys"), has("jwt"), support?.planned ?? ""];
    }),
  );
}

export function gatewayTable(): string[] {
  return table(
    [
      "`gateway.type`",
      "default for classes",
      "objects planned with the pool",
      "picker timeout",
      "cuts answers",
      "import as only backend",
      "pool and import, by weight",
      "picker for the import (`picker`)",
      "gateways of other clusters (`parents`)",
    ],
    Object.entries<Gateway>(gateways).map(([type, { title, pools, imports }]) => {
      const seconds = pools?.pickerTimeoutSeconds ?? Number.POSITIVE_INFINITY;
      const waits = Number.isFinite(seconds) ? `${seconds} s` : "";
      const { alone = "", besidePool = "", picker = "", parents = "" } = imports?.docs ?? {};
      const classes = codes(pools?.classes ?? []);
      return [
        `\`${type}\`: ${title}`,
        classes || (pools === undefined ? "" : "any other"),
        pools?.planned ?? "",
        waits,
        cuts(pools),
        alone,
        besidePool,
        picker,
        parents,
      ];
    }),
  );
}
