import type { Exporter } from "./exporters.ts";
import type { PoolFinding } from "./reasons.ts";
import type { NameView } from "./view.ts";

/** Reports a conflict if pools of one name have different protocols, because a gateway treats them as one pool. */
export function conflictOf(
  { members }: NameView,
  exporters: readonly Exporter[],
): PoolFinding | undefined {
  const protocols = exporters.flatMap(({ name }) => {
    const protocol = members.find((member) => member.name === name)?.pool?.appProtocol;
    return protocol === undefined ? [] : [{ name, protocol }];
  });
  if (new Set(protocols.map(({ protocol }) => protocol)).size < 2) return undefined;
  return {
    type: "Conflict",
    status: "True",
    reason: "AppProtocolConflict",
    message: `appProtocol is ${protocols.map(({ name, protocol }) => `${protocol} in ${name}`).join(", ")}; set the same on all of them`,
  };
}
