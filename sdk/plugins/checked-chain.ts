import type { ChainLink, ChainRun, ChainStep } from "./chain.ts";
import { PodPluginError, runChain } from "./chain.ts";
import type { HookRequest } from "./hook-request.ts";
import { changesBetween, formatPodChange } from "./pod-changes.ts";

/**
 * Runs a chain in the plan, and runs it again to check that it is deterministic and idempotent. A chain that is not
 * would create new pods at every preview, or pods that change again and again.
 *
 * @throws PodPluginError for the first plugin that fails, or whose result differs between runs
 */
export function runCheckedChain(links: readonly ChainLink[], request: HookRequest): ChainRun {
  const run = runChain(links, request);
  const again = runChain(links, request);
  const difference = changesBetween(run.pod, again.pod)[0];
  if (difference !== undefined) {
    const at = run.steps.findIndex(
      ({ changes }, index) => changesBetween(changes, again.steps[index]?.changes).length > 0,
    );
    throw unstable(run.steps[at], "is not deterministic: the second run on the same pod changed", [
      formatPodChange(difference),
    ]);
  }
  const twice = runChain(links, { ...request, pod: run.pod });
  const more = changesBetween(run.pod, twice.pod);
  if (more.length > 0) {
    const blamed = twice.steps.find(({ changes }) => changes.length > 0);
    throw unstable(blamed, "is not idempotent: applied to its own result it changed", [
      ...more.map(formatPodChange),
    ]);
  }
  return run;
}

function unstable(step: ChainStep | undefined, what: string, changes: string[]): Error {
  if (step === undefined) return new Error(`the chain of plugins ${what} ${changes.join("; ")}`);
  const { link } = step;
  return new PodPluginError(link, {
    code: "conflict",
    path: link.path,
    given: `${JSON.stringify(link.plugin.name)} ${what} ${changes.slice(0, 3).join("; ")}`,
    allowed: "the same result each time, no matter how often the chain runs",
    fix: "Set a value only if it is absent, and use neither the time nor random numbers.",
  });
}
