/** Faults of the pod around an engine: its token, and the time that its probes allow. */

import { scriptSets } from "../command-line/environment.ts";
import { publishedImage } from "../interface/published-images.ts";
import type { StartUpCheck } from "../interface/start-up.ts";
import { weightBytes } from "../models/parameters.ts";

const tokenVariables = ["HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HUGGINGFACE_HUB_TOKEN"];

/** Variables that select another source of files, or a file with the token. */
const otherSources = [
  ...["HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_ENDPOINT", "HF_TOKEN_PATH"],
  ...["VLLM_USE_MODELSCOPE", "SGLANG_USE_MODELSCOPE"],
];
/** Variables with the directory of downloads, which the image of another author may already contain. */
const directories = ["HF_HOME", "HF_HUB_CACHE", "TRANSFORMERS_CACHE"];

export const modelToken: StartUpCheck = function* (startUp) {
  const { facts, modelName, env, args, downloads, container } = startUp;
  if (!facts.gated || !downloads || env.isOpen) return;
  if (tokenVariables.some((name) => env.has(name) && env.text(name) !== "")) return;
  if (tokenVariables.some((name) => scriptSets(container, name))) return;
  const mayContainFiles = publishedImage(container.image) === undefined;
  if ([...otherSources, ...(mayContainFiles ? directories : [])].some(env.has)) return;
  if (args.has("--hf-token") || args.has("--download-dir")) return;
  yield {
    given: `download ${modelName} without a token, but on Hugging Face only accounts that accepted its terms can download it`,
    allowed: "a token in the environment variable HF_TOKEN",
    fix: "Accept the terms on the model's page, and set HF_TOKEN in env from a Secret.",
  };
};

/** Seconds in addition to loading weights: imports, the first profile, compilation and capture of a small model. */
const ownSeconds = 60;

/** Returns the minimum time that an engine needs until it is ready, in seconds. */
export const loadingSeconds = (bytes: number, bytesPerSecond: number): number =>
  Math.ceil(bytes / bytesPerSecond) + ownSeconds;

export const loadingTime: StartUpCheck = function* (startUp) {
  const { facts, modelName, probe, bytesPerSecond } = startUp;
  if (probe === undefined) return;
  const bytes = weightBytes(facts);
  const needed = loadingSeconds(bytes, bytesPerSecond);
  if (probe.seconds >= needed) return;
  const rate = Math.round(bytesPerSecond / 2 ** 20);
  yield {
    given: `load ${(bytes / 1e9).toFixed(0)} GB of ${modelName}, but the ${probe.field} restarts the container after ${probe.seconds} s`,
    allowed: `at least ${needed} s: ${(bytes / 1e9).toFixed(0)} GB at ${rate} MiB/s plus ${ownSeconds} s to start`,
    fix:
      probe.field === "startupProbe"
        ? `Raise failureThreshold until failureThreshold x periodSeconds is at least ${needed} s.`
        : `Add a startupProbe with failureThreshold x periodSeconds of at least ${needed} s.`,
  };
};
