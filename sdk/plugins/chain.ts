import { messageOf } from "../../kubernetes/values/records.ts";
import { formatPath, type Path, type Problem } from "../errors.ts";
import { violations } from "../invariant.ts";
import type { PodPluginEntry } from "../spec/pod-plugin.ts";
import type { HookPod, HookRequest } from "./hook-request.ts";
import { isRefusal } from "./plugin-refusal.ts";
import { podChangeRules } from "./pod-change-rules.ts";
import { changesBetween, type PodChange } from "./pod-changes.ts";
import { copyOf, frozen } from "./pod-copy.ts";
import type { PodPlugin } from "./pod-plugin.ts";

/** A plugin of a chain: what it is, how it is configured, and where its entry stands. */
export interface ChainLink {
  readonly plugin: PodPlugin;
  /** As the plugin's schema reads it. */
  readonly config: unknown;
  readonly entry: PodPluginEntry;
  /** Path of the entry in the spec, as `plugins[0]`. */
  readonly path: Path;
}

/** What one plugin did to a pod. */
export interface ChainStep {
  readonly link: ChainLink;
  readonly changes: readonly PodChange[];
}

export interface ChainRun {
  readonly pod: HookPod;
  readonly steps: readonly ChainStep[];
}

/** A plugin that refused a pod or failed on it; no pod is made then. */
export class PodPluginError extends Error {
  override readonly name = "PodPluginError";
  readonly link: ChainLink;
  /** The path is that of the plugin's entry. */
  readonly problem: Problem;

  constructor(link: ChainLink, problem: Problem, cause?: unknown) {
    super(`pod plugin ${link.plugin.name} ${problem.given}`, { cause });
    this.link = link;
    this.problem = problem;
  }
}

/**
 * Runs `onPodCreate` of every plugin in the order of the list; each sees the pod as the one before it left it. The pod
 * that is given stays as it is.
 *
 * @throws PodPluginError for the first plugin that fails, or that touches what is not a plugin's to touch
 */
export function runChain(links: readonly ChainLink[], request: HookRequest): ChainRun {
  const steps: ChainStep[] = [];
  const modelServing = frozen(request.modelServing);
  let pod = request.pod;
  for (const link of links) {
    const before = pod;
    pod = changed(link, { ...request, modelServing, pod: copyOf(before) });
    checkChange(link, request, before, pod);
    steps.push({ link, changes: changesBetween(before, pod) });
  }
  return { pod, steps };
}

function changed(link: ChainLink, request: HookRequest): HookPod {
  let answer: unknown;
  try {
    answer = link.plugin.onPodCreate?.(request, link.config);
  } catch (error) {
    throw new PodPluginError(link, failure(link, request, error), error);
  }
  if (answer !== undefined) {
    throw new PodPluginError(link, {
      code: "shape",
      path: link.path,
      given: `${nameOf(link)} returns a value from onPodCreate`,
      allowed: "no return value: the hook changes request.pod synchronously",
      fix: "Change the pod in place, without async.",
    });
  }
  return request.pod;
}

/**
 * The rules on what a plugin may change.
 *
 * @throws PodPluginError for the first rule that is broken
 */
export function checkChange(
  link: ChainLink,
  request: Omit<HookRequest, "pod">,
  before: HookPod,
  after: HookPod,
): void {
  const [broken] = violations(podChangeRules, {
    before,
    after,
    byEndpoint: link.entry.type === "Webhook",
  });
  if (broken === undefined) return;
  throw new PodPluginError(link, located(link, request, broken));
}

const nameOf = ({ plugin }: ChainLink) => JSON.stringify(plugin.name);

/** Pods of a request in words: `role "decode", entry pods`. */
const podsOf = ({ roleName, isEntry }: Omit<HookRequest, "pod">) =>
  `role ${JSON.stringify(roleName)}, ${isEntry ? "entry" : "worker"} pods`;

function failure(link: ChainLink, request: HookRequest, error: unknown): Problem {
  if (isRefusal(error)) {
    return located(link, request, { code: "conflict", ...error.refusal });
  }
  const reason = messageOf(error);
  return {
    code: "conflict",
    path: link.path,
    given: `${nameOf(link)} fails on ${podsOf(request)}: ${reason}`,
    allowed: "a plugin that supports all pods in its scope",
    fix: "Correct the plugin's config, its scope or its code.",
  };
}

/** A problem of a pod as one of the entry whose plugin found or made it. */
function located(link: ChainLink, request: Omit<HookRequest, "pod">, problem: Problem): Problem {
  return {
    ...problem,
    path: link.path,
    given: `${nameOf(link)} on ${podsOf(request)}: ${formatPath(problem.path)} ${problem.given}`,
  };
}
