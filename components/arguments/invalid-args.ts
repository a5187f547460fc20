import * as pulumi from "@pulumi/pulumi";
import { type Problem, SpecError } from "../../sdk/errors.ts";
import { readable } from "../base/namespace.ts";

/**
 * Error that lists every problem of rejected arguments, each with its path. It is a RunError, so that a program ends with
 * the message and without a stack trace.
 *
 * It is not an InputPropertiesError, because the Pulumi CLI then repeats every problem with the value of the argument, which
 * may be a token, and panics if the value is an Output (pulumi 3.276).
 */
export class InvalidArgsError extends pulumi.RunError {
  override readonly name = "InvalidArgsError";
  readonly problems: readonly Problem[];

  constructor({ message, problems }: SpecError) {
    super(readable(message));
    this.problems = problems;
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
