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

/** A plugin of a chain, with its configuration and the path of its entry. */
export interface ChainLink {
  readonly plugin: PodPlugin;
  /** Config as the plugin's schema parses it. */
  readonly config: unknown;
  readonly entry: PodPluginEntry;
  /** Path of the entry in the spec, such as `plugins[0]`. */
  readonly path: Path;
}

/** The changes of one plugin to a pod. */
export interface ChainStep {
  readonly link: ChainLink;
  readonly changes: readonly PodChange[];
}

export interface ChainRun {
  readonly pod: HookPod;
  readonly steps: readonly ChainStep[];
}

/** Error of a plugin that refused a pod or failed on it. No pod is created then. */
export class PodPluginError extends Error {
  override readonly name = "PodPluginError";
  readonly link: ChainLink;
  /** Problem at the path of the plugin's entry. */
  readonly problem: Problem;

  constructor(link: ChainLink, problem: Problem, cause?: unknown) {
    super(`pod plugin ${link.plugin.name} ${problem.given}`, { cause });
    this.link = link;
    this.problem = problem;
  }
}

/**
 * Runs `onPodCreate` of every plugin, in the order of the list. Each hook receives the pod as the previous one left
 * it. The given pod is not changed.
 *
 * @throws PodPluginError for the first plugin that fails, or that makes a forbidden change
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
      given: `${nameOfPlugin(link)} returns a value from onPodCreate`,
      allowed: "no return value: the hook changes request.pod synchronously",
      fix: "Change the pod in place, without async.",
    });
  }
  return request.pod;
}

/**
 * Checks the changes of a plugin by the rules.
 *
 * @throws PodPluginError for the first broken rule
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

const nameOfPlugin = ({ plugin }: ChainLink) => JSON.stringify(plugin.name);

/** Describes the pods of a request: `role "decode", entry pods`. */
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
    given: `${nameOfPlugin(link)} fails on ${podsOf(request)}: ${reason}`,
    allowed: "a plugin that supports all pods in its scope",
    fix: "Correct the plugin's config, its scope or its code.",
  };
}

/** Returns a problem of a pod as a problem of the plugin's entry. */
function located(link: ChainLink, request: Omit<HookRequest, "pod">, problem: Problem): Problem {
  return {
    ...problem,
    path: link.path,
    given: `${nameOfPlugin(link)} on ${podsOf(request)}: ${formatPath(problem.path)} ${problem.given}`,
  };
}
