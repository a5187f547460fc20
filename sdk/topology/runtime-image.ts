import { version } from "../version.ts";

/** The image with all programs of this version. Its entry point is the endpoint picker if the first argument is a flag. */
export const defaultRuntimeImage = `ghcr.io/pulumi-inference/pulumi-inference:${version}`;
