import { findPulumi } from "./pulumi-programs.ts";

/** Builds the Pulumi CLI and its provider, if they are not installed, outside any test's time limit. */
export default async function setup(): Promise<void> {
  await findPulumi();
}
