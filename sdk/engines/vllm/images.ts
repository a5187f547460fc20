/** Contents of vLLM's images, by repository and version. */

import { isAtLeast, type Version } from "../options/version.ts";

/**
 * Images with vLLM's version as their tag: vLLM's images, the images of its hardware plugins, and copies in other
 * registries.
 */
const ownRepository = /(^|\/)vllm(-openai|-tpu|-ascend|-cpu|-xpu|-neuron)?(-\w+)*$/;
/** Images that are named like vLLM's, but have version numbers of their own. */
const otherCounting = /(^|\/)(lmcache|nvidia)\//;

/**
 * Returns the version of vLLM in an image, read from its tag: `vllm/vllm-openai:v0.30.0`, `vllm-cpu:0.30.0-amd64`,
 * `rocm/vllm:rocm6.4.1_vllm_0.10.1`. Undefined for a tag without a version, such as `latest` or a digest.
 */
export function vllmVersionOf(image: unknown): Version | undefined {
  if (typeof image !== "string") return undefined;
  const [, repository = "", tag = ""] = /^([^@]*?)(?::([^/:@]+))?(?:@.*)?$/.exec(image) ?? [];
  const named = /vllm[-_]?v?(\d+)\.(\d+)(?:\.(\d+))?/.exec(tag);
  const counted =
    ownRepository.test(repository) && !otherCounting.test(repository)
      ? /^v?(\d+)\.(\d+)(?:\.(\d+))?/.exec(tag)
      : null;
  const [, major, minor, patch] = named ?? counted ?? [];
  if (major === undefined || minor === undefined) return undefined;
  const version: Version = [Number(major), Number(minor), Number(patch ?? 0)];
  // Tags such as 25.10 are dates. In other repositories, tags below 0.6, and 1.22 and 3.3, are build numbers of other
  // projects.
  const isOriginal = /(^|\/)vllm\//.test(repository);
  const isCounted = version[0] === 0 || (version[0] < 10 && isOriginal);
  const first: Version = /(^|\/)vllm\/vllm-openai$/.test(repository) ? [0, 1] : [0, 6];
  return isCounted && isAtLeast(version, first) ? version : undefined;
}

/** A variant of vLLM's images, with the facts in which the variants differ. */
interface Variant {
  readonly repository: RegExp;
  /** Whether its images of a version contain Ray; undefined if that is unknown. */
  containsRay(version: Version | undefined): boolean | undefined;
  /** Whether vLLM forms groups over several nodes without Ray on these devices. */
  formsGroups(version: Version | undefined): boolean | undefined;
}

/** The first version with `--nnodes`, by vllm/engine/arg_utils.py of the releases on PyPI. */
const firstWithNodes: Version = [0, 11, 1];
/** The first version whose requirements do not contain Ray, by its releases on PyPI. */
const firstWithoutRay: Version = [0, 18];

const variants: readonly Variant[] = [
  // requirements/tpu.txt and xpu.txt contain Ray in every release; the Dockerfile of vllm-ascend installs it.
  {
    repository: /(^|\/)vllm-(tpu|xpu|ascend)(-\w+)*$/,
    containsRay: () => true,
    formsGroups: () => undefined,
  },
  {
    repository: /(^|\/)vllm\/vllm-openai(-\w+)*$/,
    containsRay(version) {
      const isWithout = isAtLeast(version, firstWithoutRay);
      return isWithout === undefined ? undefined : !isWithout;
    },
    formsGroups: (version) => isAtLeast(version, firstWithNodes),
  },
];

/** Images of other builders may contain Ray in any version. */
const other: Variant = {
  repository: /./,
  containsRay: (version) => (isAtLeast(version, firstWithoutRay) === false ? true : undefined),
  formsGroups: (version) => isAtLeast(version, firstWithNodes),
};

/** An image's support for groups over several nodes; undefined if that is unknown. */
export interface GroupSupport {
  readonly ray: boolean | undefined;
  readonly mp: boolean | undefined;
}

export function groupSupportOf(image: unknown): GroupSupport {
  if (typeof image !== "string") return { ray: undefined, mp: undefined };
  const repository = image.replace(/@.*$/, "").replace(/:[^/:]*$/, "");
  const variant = variants.find((each) => each.repository.test(repository)) ?? other;
  const version = vllmVersionOf(image);
  return { ray: variant.containsRay(version), mp: variant.formsGroups(version) };
}
