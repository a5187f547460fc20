import * as pulumi from "@pulumi/pulumi";
import { formatProblem, type Problem } from "../sdk/errors.ts";

/** Warns of what an object may be and its author should know. */
export function sayAdvice(
  component: pulumi.Resource,
  title: string,
  advice: readonly Problem[],
): void {
  for (const problem of advice)
    void pulumi.log.warn(`${title}: ${formatProblem(problem)}`, component);
}

/** Returns what a planner returns, and warns of what it advised of. */
export function withAdvice<T>(
  component: pulumi.Resource,
  title: string,
  plan: (onAdvice: (problem: Problem) => void) => T,
): T {
  const advice: Problem[] = [];
  const planned = plan((problem) => advice.push(problem));
  sayAdvice(component, title, advice);
  return planned;
}
