import { createHash } from "node:crypto";
import type { Credentials } from "./credentials.ts";
import { authorizationFor } from "./login.ts";
import { acceptedTypes, isImage, isIndex } from "./media-types.ts";

/** A repository of a registry. */
export interface Repository {
  readonly registry: string;
  readonly repository: string;
}

export interface RegistryOptions {
  /** Logins. Default: anonymous. */
  readonly credentials?: Credentials;
  /** Registries that are called without TLS. Registries on this machine always are. */
  readonly plainHttp?: readonly string[];
  /** URL of a registry's API. Default: `https://REGISTRY`. */
  readonly originOf?: (registry: string) => string;
}

/** A manifest as a registry sent it, after its digest was verified. */
export interface FetchedManifest {
  readonly digest: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** Largest manifest that registries accept, in bytes. */
const maxManifestBytes = 4 * 1024 * 1024;
/** Limit for requests without a large body, in ms. */
const timeoutMs = 60_000;

/** Client of the distribution API, https://github.com/opencontainers/distribution-spec. */
export class RegistryClient {
  readonly #options: RegistryOptions;
  /** Authorization header by repository and kind of access. */
  readonly #authorizations = new Map<string, string>();

  constructor(options: RegistryOptions = {}) {
    this.#options = options;
  }

  /**
   * Returns a manifest.
   *
   * @param reference tag or digest
   * @throws Error if it is missing, or its bytes do not match its digest
   */
  async manifest(of: Repository, reference: string): Promise<FetchedManifest> {
    const response = await this.#send(of, `manifests/${reference}`, {
      headers: { accept: acceptedTypes },
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (!response.ok) throw await refusal(response, of);
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (bytes.length > maxManifestBytes)
      throw new Error(
        `${of.registry} sent a manifest of ${bytes.length} bytes; at most ${maxManifestBytes}`,
      );
    const digest = digestOf(bytes);
    const stated = [response.headers.get("docker-content-digest"), reference];
    const wrong = stated.find((each) => each?.startsWith("sha256:") === true && each !== digest);
    if (wrong !== undefined && wrong !== null)
      throw new Error(`${of.registry} sent bytes of ${digest} instead of ${wrong}`);
    const { mediaType } = JSON.parse(String(Buffer.from(bytes))) as { mediaType?: string };
    const type = mediaType ?? response.headers.get("content-type")?.split(";")[0] ?? "";
    if (!isIndex(type) && !isImage(type))
      throw new Error(`its manifest has the type ${JSON.stringify(type)}, which is not supported`);
    return { digest, mediaType: type, bytes };
  }

  /** Returns the response with the bytes of a blob from an offset on. Its status is 206 if the offset is respected. */
  async blob(of: Repository, digest: string, from = 0): Promise<Response> {
    const response = await this.#send(of, `blobs/${digest}`, {
      headers: from === 0 ? {} : { range: `bytes=${from}-` },
    });
    if (!response.ok) throw await refusal(response, of);
    return response;
  }

  /** Returns whether a repository has a blob or a manifest. */
  async has(of: Repository, kind: "blobs" | "manifests", reference: string): Promise<boolean> {
    const response = await this.#send(of, `${kind}/${reference}`, {
      method: "HEAD",
      headers: kind === "manifests" ? { accept: acceptedTypes } : {},
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (response.ok) return true;
    if (response.status === 404) return false;
    throw await refusal(response, of);
  }

  /** Uploads a blob; the registry verifies its digest. */
  async putBlob(
    of: Repository,
    { digest, size, open }: { digest: string; size: number; open: () => ReadableStream },
  ): Promise<void> {
    const started = await this.#send(of, "blobs/uploads/", {
      method: "POST",
      access: "pull,push",
      signal: AbortSignal.timeout(timeoutMs),
    });
    const location = started.headers.get("location");
    if (started.status !== 202 || location === null) throw await refusal(started, of);
    const url = new URL(location, this.#origin(of.registry));
    url.searchParams.set("digest", digest);
    const response = await this.#send(of, url, {
      method: "PUT",
      access: "pull,push",
      headers: { "content-type": "application/octet-stream", "content-length": String(size) },
      open,
    });
    if (response.status !== 201) throw await refusal(response, of);
  }

  /** Uploads a manifest under a tag or its digest. */
  async putManifest(
    of: Repository,
    reference: string,
    { mediaType, bytes }: Pick<FetchedManifest, "mediaType" | "bytes">,
  ): Promise<void> {
    const response = await this.#send(of, `manifests/${reference}`, {
      method: "PUT",
      access: "pull,push",
      headers: { "content-type": mediaType },
      body: bytes,
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (response.status !== 201) throw await refusal(response, of);
  }

  #origin(registry: string): string {
    const { originOf, plainHttp = [] } = this.#options;
    if (originOf !== undefined) return originOf(registry);
    const host = registryHost(registry);
    const isPlain = plainHttp.includes(registry) || /^(localhost|127\.|\[::1\])/.test(host);
    return `${isPlain ? "http" : "https"}://${host}`;
  }

  async #send(of: Repository, path: string | URL, request: Request): Promise<Response> {
    const { access = "pull", headers = {}, open, body, ...init } = request;
    const url =
      path instanceof URL ? path : `${this.#origin(of.registry)}/v2/${of.repository}/${path}`;
    const key = `${of.registry}/${of.repository} ${access}`;
    const send = () => {
      const authorization = this.#authorizations.get(key);
      const sent = open?.() ?? body;
      return fetch(url, {
        ...init,
        headers: { ...headers, ...(authorization !== undefined && { authorization }) },
        ...(sent !== undefined && {
          body: sent as NonNullable<RequestInit["body"]>,
          duplex: "half",
        }),
      }).catch((error: Error) => {
        const { cause } = error;
        const reason =
          cause instanceof Error && cause.message !== "" ? cause.message : error.message;
        throw new Error(`${of.registry} cannot be reached (${reason})`);
      });
    };
    const first = await send();
    if (first.status !== 401) return first;
    await first.body?.cancel();
    const challenge = first.headers.get("www-authenticate") ?? "";
    const scope = `repository:${of.repository}:${access}`;
    this.#authorizations.set(
      key,
      await authorizationFor(challenge, this.#options.credentials?.(of.registry), scope),
    );
    return send();
  }
}

interface Request {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Access that a token is requested for. Default: pull. */
  readonly access?: "pull" | "pull,push";
  readonly body?: Uint8Array;
  /** Opens the body again for each attempt. */
  readonly open?: () => ReadableStream;
  readonly signal?: AbortSignal;
}

/** Returns the host of a registry's API. */
export const registryHost = (registry: string): string =>
  registry === "docker.io" ? "registry-1.docker.io" : registry;

export const digestOf = (bytes: Uint8Array): string =>
  `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

/** Returns the error for a failed response, with the registry's message. */
async function refusal(response: Response, { registry }: Repository): Promise<Error> {
  const text = await response.text().catch(() => "");
  const message = /"message"\s*:\s*"([^"]+)"/.exec(text)?.[1];
  return new Error(
    `${registry} answered ${response.status}${message === undefined ? "" : ` (${message})`}`,
  );
}
