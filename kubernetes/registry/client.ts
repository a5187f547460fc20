import { createHash } from "node:crypto";
import { acceptedTypes, type Digest, isImage, isIndex, parseManifest } from "./content.ts";
import type { Credentials } from "./credentials.ts";
import { authorizationFor } from "./login.ts";
import { originOf } from "./origin.ts";
import { readBytes } from "./response-bytes.ts";

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
  /** Hosts that may issue tokens for registries on other hosts, in addition to the known ones. */
  readonly realms?: readonly string[];
  /** Is called with the host of another realm before a login is sent to it. */
  readonly onRealm?: (host: string) => void;
}

/** A manifest as a registry sent it, after its digest was verified. */
export interface FetchedManifest {
  readonly digest: Digest;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** Largest manifest that registries accept, in bytes. */
export const maxManifestBytes = 4 * 1024 * 1024;
/** Limit for requests without a large body, in ms. */
const timeoutMs = 60_000;
/** Largest error body that is read for its message, in bytes. */
const maxErrorBytes = 64 * 1024;
const mostRedirects = 5;

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
    const bytes = await readBytes(response, maxManifestBytes).catch((error: Error) => {
      throw new Error(`${of.registry}: the manifest: ${error.message}`);
    });
    const digest = digestOf(bytes);
    const stated = [response.headers.get("docker-content-digest"), reference];
    const wrong = stated.find((each) => each?.startsWith("sha256:") === true && each !== digest);
    if (wrong !== undefined && wrong !== null)
      throw new Error(`${of.registry} sent bytes of ${digest} instead of ${wrong}`);
    const { mediaType } = parseManifest(bytes, `${of.registry}: the manifest ${digest}`);
    const type = mediaType ?? response.headers.get("content-type")?.split(";")[0] ?? "";
    if (!isIndex(type) && !isImage(type))
      throw new Error(`its manifest has the type ${JSON.stringify(type)}, which is not supported`);
    return { digest, mediaType: type, bytes };
  }

  /** Returns the response with the bytes of a blob from an offset on. Its status is 206 if the offset is respected. */
  async blob(of: Repository, digest: Digest, from = 0): Promise<Response> {
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
    { digest, size, open }: { digest: Digest; size: number; open: () => ReadableStream },
  ): Promise<void> {
    const started = await this.#send(of, "blobs/uploads/", {
      method: "POST",
      access: "pull,push",
      signal: AbortSignal.timeout(timeoutMs),
    });
    const location = started.headers.get("location");
    if (started.status !== 202 || location === null) throw await refusal(started, of);
    const url = new URL(location, `${this.#origin(of.registry)}/`);
    this.#refusePlain(of, url);
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
    const { originOf: given, plainHttp } = this.#options;
    return given === undefined ? originOf(registry, plainHttp) : given(registry);
  }

  /** @throws Error if a registry with TLS names a URL without TLS */
  #refusePlain({ registry }: Repository, url: URL): void {
    const isSecure = this.#origin(registry).startsWith("https:");
    if (url.protocol !== "https:" && (isSecure || url.protocol !== "http:"))
      throw new Error(`${registry} names ${url.origin}, which has no TLS`);
  }

  async #send(of: Repository, path: string | URL, request: Request): Promise<Response> {
    const { access = "pull" } = request;
    const origin = this.#origin(of.registry);
    const url = path instanceof URL ? path : new URL(`${origin}/v2/${of.repository}/${path}`);
    const key = `${of.registry}/${of.repository} ${access}`;
    const first = await this.#follow(of, url, request, key);
    if (first.status !== 401) return first;
    await first.body?.cancel();
    const { credentials, realms, onRealm } = this.#options;
    const authorization = await authorizationFor(first.headers.get("www-authenticate") ?? "", {
      origin,
      credentials: credentials?.(of.registry),
      scope: `repository:${of.repository}:${access}`,
      ...(realms !== undefined && { realms }),
      ...(onRealm !== undefined && { onRealm }),
    }).catch((error: Error) => {
      throw new Error(`${of.registry} ${error.message}`);
    });
    this.#authorizations.set(key, authorization);
    return this.#follow(of, url, request, key);
  }

  /** Sends a request and follows the redirects of reads. The authorization is sent to the registry's origin only. */
  async #follow(
    of: Repository,
    start: URL,
    { access: _, headers = {}, open, body, ...init }: Request,
    key: string,
  ): Promise<Response> {
    const { origin } = new URL(this.#origin(of.registry));
    let url = start;
    for (let redirects = 0; ; redirects++) {
      const authorization = url.origin === origin ? this.#authorizations.get(key) : undefined;
      const sent = open?.() ?? body;
      const response = await fetch(url, {
        ...init,
        redirect: "manual",
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
      const location = response.headers.get("location");
      const isRead = init.method === undefined || init.method === "HEAD";
      if (!isRead || location === null || ![301, 302, 303, 307, 308].includes(response.status))
        return response;
      await response.body?.cancel();
      const next = URL.parse(location, url.href);
      if (next === null || redirects === mostRedirects)
        throw new Error(`${of.registry} redirects to ${JSON.stringify(location)}`);
      this.#refusePlain(of, next);
      url = next;
    }
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

export const digestOf = (bytes: Uint8Array): Digest =>
  `sha256:${createHash("sha256").update(bytes).digest("hex")}` as Digest;

/** Returns the error for a failed response, with the registry's message. */
async function refusal(response: Response, { registry }: Repository): Promise<Error> {
  const bytes = await readBytes(response, maxErrorBytes).catch(() => Buffer.alloc(0));
  const text = Buffer.from(bytes).toString("utf8");
  const message = /"message"\s*:\s*"([^"\p{Cc}]{1,500})"/u.exec(text)?.[1];
  return new Error(
    `${registry} answered ${response.status}${message === undefined ? "" : ` (${message})`}`,
  );
}
