/** Faults of an engine's pod that need no facts about its model. */

import { isDeferred } from "../../../kubernetes/values/deferred.ts";
import { type Fields, isMap } from "../../../kubernetes/values/records.ts";
import type { Container } from "../../schemas/pod-template.ts";
import { acceleratorsOf } from "../accelerators/pod-accelerators.ts";
import { environmentOf, scriptSets } from "../command-line/environment.ts";
import type { CommandLine } from "../command-line/started-programs.ts";
import { loadedModel } from "../containers/served-models.ts";
import { portByCommand } from "../containers/server.ts";
import { argumentsOf, engineNameOf, engines, serverOf } from "../index.ts";
import { devicesOfResource, publishedImage } from "../interface/published-images.ts";
import type { StartUpFinding } from "../interface/start-up.ts";
import { notKnown } from "../options/arguments.ts";
import { lmcacheFaults } from "./lmcache-faults.ts";
import { offloadFaults } from "./offload-faults.ts";
import { parallelismOf } from "./parallelism.ts";
import { releaseFaults, releaseKinds } from "./release-faults.ts";
import { hasCache } from "./template-start-up.ts";
import { hasNoTemporaryFiles, homeDirectory, missingHomeOfTemplate } from "./writable-home.ts";

/** Kinds of faults that need no facts about the model. */
export const launchKinds = {
  ...releaseKinds,
  home: {
    title: "Home directory that the engine cannot write to",
    decides: "the user and the root file system of the container, its variable HOME and its mounts",
  },
  temporary: {
    title: "Temporary files that the engine cannot write",
    decides: "the root file system of the container, its variable TMPDIR and its mounts",
  },
  "kv-offload": {
    title: "KV cache in host memory or on disk that does not fit (vLLM, LMCache)",
    decides:
      "its bytes compared with /dev/shm, the limits of the container and the size of the volume",
  },
  "shared-device": {
    title: "Share of a device without a share of its memory",
    decides: "the resource of the container and the engine's fraction of memory",
  },
  "visible-devices": {
    title: "Ranks that find fewer devices than their container has",
    decides: "variables such as CUDA_VISIBLE_DEVICES compared with devices and parallel sizes",
  },
  image: {
    title: "Image for other devices or another engine",
    decides: "published images compared with the resources and the command of the container",
  },
  entrypoint: {
    title: "Arguments that repeat the entrypoint of the image",
    decides: "the first argument of a container without a command",
  },
  offline: {
    title: "Model that is neither downloaded nor on a volume",
    decides: "HF_HUB_OFFLINE, the volumes of the container and the image",
  },
  "no-devices": {
    title: "Ranks without devices",
    decides: "parallel sizes of an image for accelerators, and the resources of the container",
  },
  slices: {
    title: "Slices of devices as ranks of one model",
    decides: "MIG resources compared with the tensor and pipeline parallel sizes",
  },
  "rank-ports": {
    title: "Servers of data-parallel ranks without traffic",
    decides: "`--data-parallel-multi-port-external-lb` and the data parallel size",
  },
} as const;

/** Returns the faults of an engine's container that do not depend on its model. */
export function* launchFaults(container: CommandLine, pod: unknown): Iterable<StartUpFinding> {
  const name = engineNameOf(container);
  if (name === undefined) return;
  yield* imageFaults(container);
  yield* entrypointFaults(container);
  yield* offlineFaults(container);
  yield* missingDevices(container, pod);
  yield* releaseFaults(container);
  yield* homeFaults(container, pod, engines[name].title);
  yield* temporaryFaults(container, engines[name].title);
  yield* offloadFaults(container, pod);
  yield* lmcacheFaults(container, pod);
  yield* deviceFaults(container, engines[name].memoryOption);
  yield* visibleFaults(container);
  yield* portFaults(container);
}

function* imageFaults(container: CommandLine): Iterable<StartUpFinding> {
  const { engine, isByCommand } = serverOf(container);
  const published = publishedImage(container.image);
  if (engine === undefined || published === undefined) return;
  const { image } = container;
  const devices = limitsOf(container).flatMap((resource) => devicesOfResource(resource) ?? []);
  const [requested] = devices;
  if (requested !== undefined && !devices.includes(published.devices))
    yield {
      kind: "image",
      given: `run ${String(image)}, which is built for ${published.devices}, on ${requested}`,
      allowed: `an image that is built for ${requested}`,
      fix: `Use an image of ${engines[engine].title} for ${requested}.`,
    };
  if (isByCommand && published.engine !== undefined && published.engine !== engine)
    yield {
      kind: "image",
      given: `start ${engines[engine].title} in ${String(image)}, which contains ${engines[published.engine].title}`,
      allowed: `an image that contains ${engines[engine].title}`,
      fix: `Use an image of ${engines[engine].title}.`,
    };
}

function* entrypointFaults(container: CommandLine): Iterable<StartUpFinding> {
  const { command, args, image } = container;
  const server = publishedImage(image)?.entrypoint;
  const [first] = Array.isArray(args) ? args : [];
  if (server === undefined || command !== undefined || typeof first !== "string") return;
  if (!server.split(" ").includes(first)) return;
  yield {
    kind: "entrypoint",
    given: `pass ${first} as the first argument to ${String(image)}, whose entrypoint is already ${server}`,
    allowed: "the arguments of the server alone",
    fix: `Remove ${server} from args, or move it to command.`,
  };
}

/** Variables with which Hugging Face's library downloads nothing. */
const offline = ["HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"];

function* offlineFaults(container: CommandLine): Iterable<StartUpFinding> {
  const model = loadedModel(container);
  // The image of another author may contain the model.
  if (publishedImage(container.image) === undefined || hasCache(container as Container)) return;
  if (model === undefined || !/^[\w.-]+\/[\w.-]+$/.test(model)) return;
  const { values, mayHaveMore } = environmentOf(container.env, container.envFrom);
  const variable = offline.find((name) => /^(1|true|yes|on)$/i.test(values.get(name) ?? ""));
  if (variable === undefined || mayHaveMore) return;
  yield {
    kind: "offline",
    given: `load ${model} with ${variable}, but no volume can contain the model`,
    allowed: "a volume with the model, or a download",
    fix: `Mount a volume with the model at the directory of HF_HOME, or remove ${variable}.`,
  };
}

function* missingDevices(container: CommandLine, pod: unknown): Iterable<StartUpFinding> {
  const parallelism = parallelismOf(container);
  const devices = publishedImage(container.image)?.devices;
  if (parallelism === undefined || devices === undefined || devices === "CPUs") return;
  const ranks = parallelism.tensor * parallelism.pipeline;
  const { resources, securityContext } = container as Fields;
  const { limits, requests, claims } = (isMap(resources) ? resources : {}) as Fields;
  const requested = [limits, requests].flatMap((list) => (isMap(list) ? Object.keys(list) : []));
  // A privileged container and a runtime class may have devices without a resource.
  const mayHaveDevices =
    isDeferred(resources) ||
    [limits, requests].some(isDeferred) ||
    claims !== undefined ||
    (isMap(securityContext) && securityContext.privileged === true) ||
    (isMap(pod) && pod.runtimeClassName !== undefined) ||
    environmentOf(container.env, container.envFrom).values.has("NVIDIA_VISIBLE_DEVICES");
  if (ranks < 2 || mayHaveDevices || requested.some((name) => name.includes("/"))) return;
  yield {
    kind: "no-devices",
    given: `divide a model over ${ranks} ranks, but request no device`,
    allowed: `a limit of ${ranks} ${devices}`,
    fix: `Set a limit for the devices, such as nvidia.com/gpu: ${ranks}.`,
  };
}

function* homeFaults(
  container: CommandLine,
  pod: unknown,
  title: string,
): Iterable<StartUpFinding> {
  const why = missingHomeOfTemplate(pod, container);
  if (why === undefined) return;
  yield {
    kind: "home",
    given: `run ${title} with ${why}, but without a home directory that it can write to`,
    allowed: "a variable HOME that names a writable volume, because caches are stored there",
    fix: `Mount an emptyDir at ${homeDirectory}, and set HOME to ${homeDirectory} and HF_HOME to ${homeDirectory}/.cache/huggingface.`,
  };
}

function* temporaryFaults(container: CommandLine, title: string): Iterable<StartUpFinding> {
  if (!hasNoTemporaryFiles(container)) return;
  yield {
    kind: "temporary",
    given: `run ${title} with a read-only root file system, but without a writable /tmp`,
    allowed:
      "a writable volume at /tmp, because the engine's processes keep temporary files and sockets there",
    fix: "Mount an emptyDir at /tmp, or set TMPDIR to a directory of a writable volume.",
  };
}

/** Resources that several containers share in time, without a limit of memory of their own. */
const shared =
  /\.shared$|[./](v|s|c)gpu$|-vgpu$|\/gpu-\d+gb$|(gpu-core|vcuda-core|gpu-core\.percentage)$/;
/** Whether several containers share the devices of a resource, and their whole memory. */
export const isShared = (resource: string | undefined): boolean =>
  resource !== undefined && shared.test(resource);

const memoryOfShare = /(mem|memory|vmem)([._-]?(ratio|percentage))?$/i;
const slice = /\/mig-|_nps\d$/;

function limitsOf(container: CommandLine): string[] {
  const { resources } = container as { resources?: unknown };
  const { limits } = (isMap(resources) && !isDeferred(resources) ? resources : {}) as Fields;
  return isMap(limits) && !isDeferred(limits) ? Object.keys(limits) : [];
}

function* deviceFaults(
  container: CommandLine,
  memoryOption: string | undefined,
): Iterable<StartUpFinding> {
  const args = argumentsOf(container);
  const resources = limitsOf(container);
  const share = resources.find(isShared);
  const isLimited = resources.some((resource) => memoryOfShare.test(resource));
  const isSet = memoryOption === undefined || args.has(memoryOption);
  const isAbsolute = ["--kv-cache-memory-bytes", "--max-total-tokens"].some((option) =>
    args.has(option),
  );
  if (share !== undefined && !isLimited && !isSet && !isAbsolute && !args.isOpen)
    yield {
      kind: "shared-device",
      given: `use ${share}, a share of a device, and the engine's default fraction of the whole device's memory`,
      allowed: `${memoryOption} for this share: other containers use the same memory`,
      fix: `Set memoryFraction of a typed engine, or ${memoryOption}, to the container's part of the memory.`,
    };
  const parallelism = parallelismOf(container);
  const sliced = resources.find((resource) => slice.test(resource));
  const ranks = parallelism === undefined ? 1 : parallelism.tensor * parallelism.pipeline;
  if (sliced === undefined || ranks === 1) return;
  yield {
    kind: "slices",
    given: `divide a model over ${ranks} ranks on ${sliced}, but slices of a GPU cannot communicate with one another`,
    allowed: "one rank for each slice",
    fix: "Set the parallel sizes to 1 and use a larger slice, or use whole devices.",
  };
}

/** Variables that hide devices of a container from its programs. */
const visible = [
  ...["CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"],
  ...["GPU_DEVICE_ORDINAL", "ASCEND_RT_VISIBLE_DEVICES"],
];

function* visibleFaults(container: CommandLine): Iterable<StartUpFinding> {
  const parallelism = parallelismOf(container);
  if (parallelism === undefined) return;
  const { tensor, pipeline, context, data, dataLocal = data } = parallelism;
  const ranks = tensor * pipeline * context * dataLocal;
  const devices = acceleratorsOf(container);
  const needed = devices === undefined || devices === 0 ? ranks : Math.min(ranks, devices);
  const { values } = environmentOf(container.env, container.envFrom);
  for (const variable of visible) {
    const value = values.get(variable);
    if (value === undefined || scriptSets(container, variable)) continue;
    const listed = value.split(",").filter((each) => each.trim() !== "").length;
    if (listed >= needed) continue;
    yield {
      kind: "visible-devices",
      given: `set ${variable} to ${JSON.stringify(value)}, which hides all but ${listed} of the devices`,
      allowed: `${needed} devices, one for each rank`,
      fix: `Remove ${variable}: the container sees only its own devices.`,
    };
  }
}

function* portFaults(container: CommandLine): Iterable<StartUpFinding> {
  const args = argumentsOf(container);
  const option = "--data-parallel-multi-port-external-lb";
  const isOn = args.written(option) === "true";
  const size = args.written("--data-parallel-size");
  const copies = size === notKnown ? 0 : Number(size ?? 1);
  const port = portByCommand(container);
  if (!isOn || copies <= 1 || typeof port !== "number") return;
  yield {
    kind: "rank-ports",
    given: `start one server for each of ${copies} data-parallel ranks, on ports ${port} to ${port + copies - 1}, but only port ${port} gets requests`,
    allowed: "one port for all ranks",
    fix: `Remove ${option}: one server then distributes the requests over the ranks.`,
  };
}
