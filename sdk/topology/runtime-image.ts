import { version } from "../version.ts";

const repository = "ghcr.io/pulumi-inference/pulumi-inference";

/** Image with all programs of this version. Its entry point is the endpoint picker if the first argument is a flag. */
export const defaultRuntimeImage = `${repository}:${version}`;

/**
 * Image of decode sidecars. A new version of this library must not restart pods with GPUs, so the sidecar has a
 * separate version, which changes only as docs/decisions/0016-sidecar-image.md describes.
 */
export const defaultSidecarImage = `${repository}:0.1.0`;
