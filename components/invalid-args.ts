import * as pulumi from "@pulumi/pulumi";
import { formatPath, type Problem, SpecError } from "../sdk/errors.ts";
import { readable } from "./namespace.ts";

/**
 * Refused arguments, every problem in one error.
 *
 * It is a RunError, so that a program ends with the message and no stack trace. It is an InputPropertiesError as
 * well, so that a component provider answers Construct with the path of each problem. Pulumi tells its errors by
 * their marker properties, and one object can carry both.
 */
export class InvalidArgsError extends pulumi.RunError {
  override readonly name = "InvalidArgsError";
  /** Read by Pulumi: `InputPropertiesError.isInstance`. */
  readonly __pulumiInputPropertiesError = true;
  /** Read by Pulumi: what goes into the answer to Construct. */
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

/** Runs a check of arguments; what it refuses becomes an error that Pulumi shows well. */
export function refusing<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof SpecError ? new InvalidArgsError(error) : error;
  }
}
