/** The CPU tier of vLLM's KV cache, compared with /dev/shm and the memory limit of its container. */

import { isDeferred } from "../../kubernetes/values/deferred.ts";
import { parseQuantity, toUnits } from "../../kubernetes/values/quantity.ts";
import { isMap } from "../../kubernetes/values/records.ts";
import type { CommandLine } from "../command-line/started-programs.ts";
import { whatIsKnown } from "../engines/arguments.ts";
import { argumentsOf, engineNameOf } from "../engines/index.ts";
import { transferFlag } from "../engines/vllm.ts";
import { isAtLeast, type Version, vllmVersionOf } from "../engines/vllm-images.ts";
import { gibibyte, gibText } from "./gibibytes.ts";
import type { StartUpFault } from "./start-up.ts";

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields => (isMap(value) && !isDeferred(value) ? value : {});
const listOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.map(fieldsOf) : [];

const sizeFlag = "--kv-offloading-size";

/** Size of /dev/shm in a pod without a volume for it. */
const defaultShared = 64 * 2 ** 20;

/** The first release with a shared mapping: of a tiered offload (vllm-project/vllm#37206), and of any (#50094). */
const firstTiered: Version = [0, 19];
const firstMapped: Version = [0, 28];

/** Returns the bytes of the CPU tier and the option that sets them; undefined without one in the template. */
function tierOf(container: CommandLine) {
  const args = argumentsOf(container);
  const written = Number(whatIsKnown(args.written(sizeFlag)) ?? Number.NaN);
  const isNative = (whatIsKnown(args.written("--kv-offloading-backend")) ?? "native") === "native";
  if (written > 0 && isNative)
    return { option: sizeFlag, bytes: written * gibibyte, isTiered: false };
  const config = whatIsKnown(args.json(transferFlag));
  for (const connector of config === undefined ? [] : connectorsIn(config)) {
    const extra = fieldsOf(connector.kv_connector_extra_config);
    const bytes = bytesOf(extra.cpu_bytes_to_use);
    if (connector.kv_connector !== "OffloadingConnector" || bytes === undefined) continue;
    const isTiered = extra.spec_name === "TieringOffloadingSpec";
    return { option: `cpu_bytes_to_use of ${transferFlag}`, bytes, isTiered };
  }
  return undefined;
}

/** Returns a connector, or the ones that a MultiConnector combines. */
const connectorsIn = (config: Fields): readonly Fields[] => [
  config,
  ...listOf(fieldsOf(config.kv_connector_extra_config).connectors),
];

function bytesOf(value: unknown): number | undefined {
  const bytes = typeof value === "string" ? Number(value) : value;
  return typeof bytes === "number" && bytes > 0 ? bytes : undefined;
}

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

export function* offloadFaults(container: CommandLine, pod: unknown): Iterable<StartUpFault> {
  const tier = engineNameOf(container) === "vllm" ? tierOf(container) : undefined;
  if (tier === undefined) return;
  const { option, isTiered } = tier;
  // The nodes of a group share the size.
  const nodes = Number(whatIsKnown(argumentsOf(container).written("--nnodes")) ?? 1);
  const bytes = tier.bytes / (nodes > 1 ? nodes : 1);
  const first = isTiered ? firstTiered : firstMapped;
  const isMapped = isAtLeast(vllmVersionOf(container.image), first) !== false;
  const shared = isMapped ? sharedMemoryOf(fieldsOf(container), fieldsOf(pod)) : undefined;
  const { limits } = fieldsOf((container as Fields).resources);
  const quantity = parseQuantity(fieldsOf(limits).memory);
  const limit = quantity && toUnits(quantity);
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
      ? "less than the size of /dev/shm, which contains this memory, and less than the memory limit, which it counts against"
      : "less than the container's memory limit",
    fix: `${isShort ? `Mount an emptyDir with medium Memory and sizeLimit ${wanted}Gi at /dev/shm, with a memory limit above it` : `Raise the memory limit above ${wanted}Gi`}, or offload less.`,
  };
}
