import * as pulumi from "@pulumi/pulumi";
import { formatProblem, type Problem } from "../sdk/errors.ts";

/** Says what an object may be and its author should know. */
export function sayAdvice(
  component: pulumi.Resource,
  title: string,
  advice: readonly Problem[],
): void {
  for (const problem of advice)
    void pulumi.log.warn(`${title}: ${formatProblem(problem)}`, component);
}
