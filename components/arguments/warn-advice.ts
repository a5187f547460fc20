import * as pulumi from "@pulumi/pulumi";
import { formatProblem, type Problem } from "../../sdk/errors.ts";

/** Logs a warning for valid settings of an object that its author should know about. */
export function warnAdvice(
  component: pulumi.Resource,
  title: string,
  advice: readonly Problem[],
): void {
  for (const problem of advice)
    void pulumi.log.warn(`${title}: ${formatProblem(problem)}`, component);
}

/** Returns the result of a planner, and logs its advice as warnings. */
export function withAdvice<T>(
  component: pulumi.Resource,
  title: string,
  plan: (onAdvice: (problem: Problem) => void) => T,
): T {
  const advice: Problem[] = [];
  const planned = plan((problem) => advice.push(problem));
  warnAdvice(component, title, advice);
  return planned;
}
