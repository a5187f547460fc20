/** The CPU tier of vLLM's KV cache, compared with /dev/shm and the memory limit of its container. */

import { isDeferred } from "../../../kubernetes/values/deferred.ts";
import { parseQuantity, toUnits } from "../../../kubernetes/values/quantity.ts";
import type { Fields } from "../../../kubernetes/values/records.ts";
import type { CommandLine } from "../command-line/started-programs.ts";
import { argumentsOf, engineNameOf, engines } from "../index.ts";
import type { StartUpFinding } from "../interface/start-up.ts";
import { gibibyte, gibText } from "../memory/gibibytes.ts";
import { whatIsKnown } from "../options/arguments.ts";
import { fieldsOf, listOf } from "../options/kv-connectors.ts";
import { isAtLeast } from "../options/version.ts";
import { containerLimit } from "./container-limit.ts";

/** Size of /dev/shm in a pod without a volume for it. */
const defaultShared = 64 * 2 ** 20;

/** Returns the size of a container's /dev/shm. Undefined if its volume has no limit or another kind. */
function sharedMemoryOf(container: Fields, pod: Fields): number | undefined {
  if (pod.hostIPC === true || isDeferred(container.volumeMounts) || isDeferred(pod.volumes))
    return undefined;
  const mount = listOf(container.volumeMounts).find(
    ({ mountPath }) => String(mountPath).replace(/\/+$/, "") === "/dev/shm",
  );
  if (mount === undefined) return defaultShared;
  const volume = listOf(pod.volumes).find(({ name }) => name === mount.name);
  const quantity = parseQuantity(fieldsOf(volume?.emptyDir).sizeLimit);
  return quantity && toUnits(quantity);
}

export function* offloadFaults(container: CommandLine, pod: unknown): Iterable<StartUpFinding> {
  const name = engineNameOf(container);
  const tier = name && engines[name].hostCache?.tier?.(argumentsOf(container));
  if (name === undefined || tier === undefined) return;
  const { option, sharedSince } = tier;
  // The nodes of a group share the size.
  const nodes = Number(whatIsKnown(argumentsOf(container).written("--nnodes")) ?? 1);
  const bytes = tier.bytes / (nodes > 1 ? nodes : 1);
  const isMapped = isAtLeast(engines[name].versionOf(container.image), sharedSince) !== false;
  const shared = isMapped ? sharedMemoryOf(fieldsOf(container), fieldsOf(pod)) : undefined;
  const limit = containerLimit(container, "memory");
  const isShort = shared !== undefined && bytes >= shared;
  if (!isShort && (limit === undefined || bytes < limit)) return;
  const sizes = [
    ...(isShort ? [`/dev/shm has ${gibText(shared)}`] : []),
    ...(limit !== undefined && bytes >= limit ? [`the memory limit is ${gibText(limit)}`] : []),
  ];
  const wanted = Math.ceil((bytes / gibibyte) * 1.2) + 1;
  yield {
    kind: "kv-offload",
    given: `keep ${gibText(bytes)} of KV cache in host memory with ${option}, but ${sizes.join(" and ")}`,
    allowed: isMapped
      ? "less than the size of /dev/shm, which contains this memory, and less than the memory limit, which includes it"
      : "less than the container's memory limit",
    fix: `${isShort ? `Mount an emptyDir with medium Memory and sizeLimit ${wanted}Gi at /dev/shm, with a memory limit above it` : `Raise the memory limit above ${wanted}Gi`}, or offload less.`,
  };
}
