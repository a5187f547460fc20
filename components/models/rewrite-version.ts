import * as pulumi from "@pulumi/pulumi";
import {
  type RewriteVersion,
  rewriteVersions,
} from "../../kubernetes/kinds/inference-model-rewrite.ts";
import { stackSetting } from "../arguments/read-args.ts";

/**
 * Returns the version of InferenceModelRewrite from stack configuration `pulumi-inference:rewriteVersion`; undefined if
 * it is not set.
 *
 * @throws RunError for an unknown version
 */
export function stackRewriteVersion(): RewriteVersion | undefined {
  const written = stackSetting("rewriteVersion");
  const version = rewriteVersions.find((known) => known === written);
  if (written === undefined || version !== undefined) return version;
  throw new pulumi.RunError(
    `stack configuration pulumi-inference:rewriteVersion: is ${JSON.stringify(written)}; ` +
      `allowed: ${rewriteVersions.join(", ")}. Name the version that the cluster serves.`,
  );
}
