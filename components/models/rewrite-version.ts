import * as pulumi from "@pulumi/pulumi";
import {
  type RewriteVersion,
  rewriteVersions,
} from "../../kubernetes/kinds/inference-model-rewrite.ts";
import { stackSetting } from "../read-args.ts";

/**
 * Version of InferenceModelRewrite from stack configuration `pulumi-inference:rewriteVersion`; undefined where the
 * stack says nothing.
 *
 * @throws RunError for a version that is none
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
