import * as pulumi from "@pulumi/pulumi";
import { formatPath, type Problem, SpecError } from "../sdk/errors.ts";
import { readable } from "./namespace.ts";

/**
 * Error that lists every problem of rejected arguments.
 *
 * It is a RunError, so that a program ends with the message and without a stack trace. It also has the marker of an
 * InputPropertiesError, so that a component provider returns the path of each problem.
 */
export class InvalidArgsError extends pulumi.RunError {
  override readonly name = "InvalidArgsError";
  /** Marker that Pulumi checks in `InputPropertiesError.isInstance`. */
  readonly __pulumiInputPropertiesError = true;
  /** Problems that Pulumi returns from Construct. */
  readonly errors: pulumi.InputPropertyErrorDetails[];
  readonly problems: readonly Problem[];

  constructor({ message, problems }: SpecError) {
    super(readable(message));
    this.problems = problems;
    this.errors = problems.map(({ path, given, allowed, fix }) => ({
      propertyPath: formatPath(path),
      reason: readable(`${given}; allowed: ${allowed}. ${fix}`),
    }));
  }
}

/** Runs a check of arguments, and throws its errors in the form that Pulumi displays. */
export function refusing<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof SpecError ? new InvalidArgsError(error) : error;
  }
}
