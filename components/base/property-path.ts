import * as pulumi from "@pulumi/pulumi";
import { type PropertyPath, parsePropertyPath } from "../../kubernetes/values/property-path.ts";
import { messageOf } from "../../kubernetes/values/records.ts";

/** Reports whether an object contains the parent of the property at a path. */
export function accepts(path: string, object: unknown): boolean {
  return reaches(stepsOf(path).slice(0, -1), object);
}

function stepsOf(path: string): PropertyPath {
  try {
    return parsePropertyPath(path);
  } catch (error) {
    throw new pulumi.RunError(messageOf(error));
  }
}

function reaches([step, ...rest]: PropertyPath, value: unknown): boolean {
  if (value === null || typeof value !== "object") return false;
  if (step === undefined) return true;
  if (step === "*") return Object.values(value).some((entry) => reaches(rest, entry));
  return Object.hasOwn(value, step) && reaches(rest, (value as Record<string, unknown>)[step]);
}
