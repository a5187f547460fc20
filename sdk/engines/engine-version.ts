import type { EngineName } from "./index.ts";
import { type Version, vllmVersionOf } from "./vllm-images.ts";

/** Images whose tag is the version of SGLang. */
const sglangRepository = /(^|\/)sglang$/;

/**
 * Returns the version of an engine, read from its image's tag. Undefined for a tag without a version, such as `latest`
 * or a digest, and for other images.
 */
export function engineVersionOf(engine: EngineName, image: unknown): Version | undefined {
  if (engine === "vllm") return vllmVersionOf(image);
  if (typeof image !== "string") return undefined;
  const [, repository = "", tag = ""] = /^([^@]*?)(?::([^/:@]+))?(?:@.*)?$/.exec(image) ?? [];
  const named = /sglang[-_]?v?(\d+)\.(\d+)(?:\.(\d+))?/.exec(tag);
  const counted = sglangRepository.test(repository)
    ? /^v?(\d+)\.(\d+)(?:\.(\d+))?/.exec(tag)
    : null;
  const [, major, minor, patch] = (engine === "sglang" && (named ?? counted)) || [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch ?? 0)];
}
