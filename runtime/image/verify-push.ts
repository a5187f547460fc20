import { globSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { RegistryClient } from "../../kubernetes/registry/client.ts";
import { containerCredentials } from "../../kubernetes/registry/container-credentials.ts";
import type { Digest } from "../../kubernetes/registry/content.ts";
import { registryHost } from "../../kubernetes/registry/origin.ts";
import { parseReference } from "../../kubernetes/registry/reference.ts";
import { readServedImage } from "../../kubernetes/registry/served-image.ts";
import type { BuiltImage } from "./build.ts";
import type { PushOptions } from "./push.ts";

/**
 * Reads a pushed image back from its registry by its digest, with every blob, and compares it with the images that were
 * built. The exit code of a push proves nothing: buildah 1.28 exits with 0 after a failed one.
 *
 * @param reference `REGISTRY/NAME@DIGEST`
 * @throws Error with the reference and the difference
 */
export async function verifyPush(
  reference: string,
  built: ReadonlyArray<Pick<BuiltImage, "architecture" | "id">>,
  { tlsVerify, realms = [] }: PushOptions,
): Promise<void> {
  const of = parseReference(reference);
  try {
    const origin = await originOf(of.registry, tlsVerify);
    const client = new RegistryClient({
      credentials: containerCredentials(),
      originOf: () => origin,
      realms,
      onRealm: (host) => console.error(`The login is sent to ${host}, which issues tokens.`),
    });
    const served = await readServedImage(client, of, of.digest as Digest);
    const lines = (images: readonly string[]) => [...images].sort().join(", ") || "no image";
    const has = lines(served.map(({ platform, config }) => `${platform} ${config}`));
    const expected = lines(built.map(({ architecture, id }) => `linux/${architecture} ${id}`));
    if (has !== expected) throw new Error(`it has ${has}; this build made ${expected}`);
  } catch (error) {
    throw new Error(
      `${reference}: the pushed image cannot be read back from its registry: ${(error as Error).message}`,
    );
  }
}

/** Returns the URL of a registry's API. Like buildah, it tries HTTP without TLS only if TLS is not required. */
async function originOf(registry: string, tlsVerify: boolean): Promise<string> {
  const host = registryHost(registry);
  if (tlsVerify) {
    trustCertificatesOf(host);
    return `https://${host}`;
  }
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
  try {
    const { body } = await fetch(`https://${host}/v2/`, { signal: AbortSignal.timeout(10_000) });
    await body?.cancel();
    return `https://${host}`;
  } catch {
    return `http://${host}`;
  }
}

/** Trusts the same certificates as buildah: the certificates of the system, and the certificates for this registry. */
function trustCertificatesOf(host: string): void {
  const folders = [
    join(homedir(), ".config/containers/certs.d"),
    "/etc/containers/certs.d",
    "/etc/docker/certs.d",
  ];
  const ofRegistry = folders
    .flatMap((folder) => globSync(join(folder, host, "*.crt")))
    .map((file) => readFileSync(file, "utf8"));
  setDefaultCACertificates([
    ...getCACertificates("default"),
    ...getCACertificates("system"),
    ...ofRegistry,
  ]);
}
