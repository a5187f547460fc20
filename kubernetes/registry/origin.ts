import { isIPv4 } from "node:net";

/** Returns the host of a registry's API. */
export const registryHost = (registry: string): string =>
  registry === "docker.io" ? "registry-1.docker.io" : registry;

/** Returns whether a hostname is this machine: `localhost`, an address in 127.0.0.0/8, or `[::1]`. */
export const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" ||
  hostname === "[::1]" ||
  (isIPv4(hostname) && hostname.startsWith("127."));

/**
 * Returns the URL of a registry's API.
 *
 * @param plainHttp registries that are called without TLS; registries on this machine always are
 */
export function originOf(registry: string, plainHttp: readonly string[] = []): string {
  const host = registryHost(registry);
  const isPlain = plainHttp.includes(registry) || isLoopback(new URL(`http://${host}`).hostname);
  return `${isPlain ? "http" : "https"}://${host}`;
}
