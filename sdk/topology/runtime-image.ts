import { version } from "../version.ts";

const repository = "ghcr.io/pulumi-inference/pulumi-inference";

/** The image with all programs of this version. Its entry point is the endpoint picker if the first argument is a flag. */
export const defaultRuntimeImage = `${repository}:${version}`;

/**
 * The image of decode sidecars. It stands in the templates of pods with GPUs, which a new version of this library must not
 * restart: its version is its own, and moves only as docs/decisions/0016-sidecar-image.md says.
 */
export const defaultSidecarImage = `${repository}:0.1.0`;
