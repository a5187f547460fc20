/** Memory and disk of LMCache, compared with the limits of the container. */

import { isDeferred } from "../../../kubernetes/values/deferred.ts";
import { parseQuantity, toUnits } from "../../../kubernetes/values/quantity.ts";
import type { Fields } from "../../../kubernetes/values/records.ts";
import { environmentOf } from "../command-line/environment.ts";
import type { CommandLine } from "../command-line/started-programs.ts";
import { loadedModel } from "../containers/served-models.ts";
import { argumentsOf } from "../index.ts";
import type { StartUpFinding } from "../interface/start-up.ts";
import { gibibyte, gibText } from "../memory/gibibytes.ts";
import { modelFacts } from "../models/model-facts.ts";
import { fieldsOf, kvConnectors, listOf } from "../options/kv-connectors.ts";
import { containerLimit } from "./container-limit.ts";
import { parallelismOf } from "./parallelism.ts";

const memory = "LMCACHE_MAX_LOCAL_CPU_SIZE";
const disk = "LMCACHE_MAX_LOCAL_DISK_SIZE";
const directory = "LMCACHE_LOCAL_DISK";

/** Every rank allocates the size (LMCache/LMCache#2901, #1399), except with latent attention, which ranks share. */
export function* lmcacheFaults(container: CommandLine, pod: unknown): Iterable<StartUpFinding> {
  const isUsed = kvConnectors(argumentsOf(container)).some(({ kv_connector: connector }) =>
    /^LMCache/.test(String(connector)),
  );
  const parallelism = isUsed ? parallelismOf(container) : undefined;
  if (parallelism === undefined) return;
  const model = loadedModel(container);
  const isShared = model !== undefined && modelFacts(model)?.attention.kind === "latent";
  const ranks = isShared ? 1 : parallelism.tensor;
  const { values } = environmentOf(container.env, container.envFrom);
  const places = [
    { variable: memory, limit: containerLimit(container, "memory"), of: "the memory limit" },
    { variable: disk, ...diskOf(container, pod, values.get(directory)) },
  ];
  for (const { variable, limit, of } of places) {
    const size = Number(values.get(variable) ?? Number.NaN);
    if (limit === undefined || !(size * ranks * gibibyte >= limit)) continue;
    yield {
      kind: "kv-offload",
      given: `set ${variable} ${size}, which LMCache allocates on each of ${ranks} ranks: ${gibText(size * ranks * gibibyte)}, but ${of} is ${gibText(limit)}`,
      allowed: `less than ${of} for all ranks together`,
      fix: `Set ${variable} below ${Math.max(1, Math.floor(limit / gibibyte / ranks))}, or raise the limit.`,
    };
  }
}

/** Returns the limit of the volume with a directory, or else the limit of storage of the container. */
function diskOf(container: CommandLine, pod: unknown, written: string | undefined) {
  const own = { limit: containerLimit(container, "ephemeral-storage"), of: "the limit of storage" };
  const path = `${written?.replace(/^file:\/\//, "").replace(/\/+$/, "")}/`;
  const { volumeMounts } = container as Fields;
  const { volumes } = fieldsOf(pod);
  if (written === undefined || isDeferred(volumeMounts) || isDeferred(volumes))
    return { ...own, limit: undefined };
  const mount = listOf(volumeMounts).find(({ mountPath }) =>
    path.startsWith(`${String(mountPath).replace(/\/+$/, "")}/`),
  );
  if (mount === undefined) return own;
  const volume = listOf(volumes).find(({ name }) => name === mount.name);
  if (volume?.emptyDir === undefined) return { ...own, limit: undefined };
  const quantity = parseQuantity(fieldsOf(volume.emptyDir).sizeLimit);
  return quantity === undefined
    ? own
    : { limit: toUnits(quantity), of: `the size of volume ${String(volume.name)}` };
}
