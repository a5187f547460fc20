import * as http from "node:http";
import * as https from "node:https";
import type { KubeConfig } from "@kubernetes/client-node";
import { ApiError, type ApiStatus, NoSuchKindError, UnreachableError } from "./api-error.ts";
import type { KubernetesObject } from "./object.ts";

export interface ApiRequest {
  query?: Record<string, string | undefined>;
  body?: unknown;
  /** Default `application/json`. */
  contentType?: string;
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** How a kind is addressed. */
export interface KindAddress {
  plural: string;
  namespaced: boolean;
}

const IDLE_MILLISECONDS = 60_000;
const RETRIED_STATUS = 429;
const MOST_RETRIES = 10;

/** One API server: requests with the kubeconfig's credentials, a bounded number at a time. */
export class ApiClient {
  readonly #config: KubeConfig;
  readonly #server: URL;
  readonly #agent: http.Agent;
  readonly #kinds = new Map<string, Promise<Map<string, KindAddress>>>();

  constructor(config: KubeConfig, parallel: number) {
    const cluster = config.getCurrentCluster();
    if (cluster === null) {
      throw new Error(
        `the kubeconfig has no cluster for context ${JSON.stringify(config.currentContext)}`,
      );
    }
    this.#config = config;
    this.#server = new URL(cluster.server);
    const options = { keepAlive: true, maxSockets: parallel };
    this.#agent =
      this.#server.protocol === "https:" ? new https.Agent(options) : new http.Agent(options);
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Where a kind is served; asked once for each group and version. */
  async addressOf(apiVersion: string, kind: string): Promise<KindAddress> {
    const known = this.#kinds.get(apiVersion) ?? this.#discover(apiVersion);
    this.#kinds.set(apiVersion, known);
    const address = (await known).get(kind);
    if (address === undefined) throw new NoSuchKindError(apiVersion, kind);
    return address;
  }

  /** Forgets what is served, after a CRD came or a kind was missing. */
  forgetKinds(): void {
    this.#kinds.clear();
  }

  /** The path of an object, or of its collection when it has no name yet. */
  async pathOf(object: KubernetesObject, name = ""): Promise<string> {
    const { plural, namespaced } = await this.addressOf(object.apiVersion, object.kind);
    const namespace = namespaced
      ? `/namespaces/${segment(object.metadata.namespace ?? "default")}`
      : "";
    const root = groupVersionPath(object.apiVersion);
    return `${root}${namespace}/${plural}${name === "" ? "" : `/${segment(name)}`}`;
  }

  async request<Answer = KubernetesObject>(
    method: Method,
    path: string,
    request: ApiRequest = {},
  ): Promise<Answer> {
    for (let attempt = 0; ; attempt++) {
      const { code, text, retryAfter } = await this.#send(method, path, request);
      if (code === RETRIED_STATUS && attempt < MOST_RETRIES) {
        await new Promise((resolve) => setTimeout(resolve, retryAfter * 1000));
        continue;
      }
      const answer = parseJson(text);
      if (code >= 300) {
        throw new ApiError(
          code,
          answer as ApiStatus,
          `${method} ${path} was answered with status ${code}: ${text}`,
        );
      }
      return answer as Answer;
    }
  }

  async #discover(apiVersion: string): Promise<Map<string, KindAddress>> {
    interface ResourceList {
      resources: { name: string; kind: string; namespaced: boolean }[];
    }
    try {
      const { resources } = await this.request<ResourceList>("GET", groupVersionPath(apiVersion));
      return new Map(
        resources
          .filter(({ name }) => !name.includes("/"))
          .map(({ name, kind, namespaced }) => [kind, { plural: name, namespaced }]),
      );
    } catch (error) {
      this.#kinds.delete(apiVersion);
      if (error instanceof ApiError && error.code === 404) return new Map();
      throw error;
    }
  }

  async #send(
    method: Method,
    path: string,
    { query = {}, body, contentType = "application/json" }: ApiRequest,
  ): Promise<{ code: number; text: string; retryAfter: number }> {
    const url = new URL(this.#server.pathname.replace(/\/$/, "") + path, this.#server);
    for (const [key, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(key, value);
    }
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const options: https.RequestOptions = {
      method,
      headers: {
        accept: "application/json",
        "user-agent": "pulumi-inference-engine",
        ...(payload && { "content-type": contentType, "content-length": payload.length }),
      },
    };
    await this.#config.applyToHTTPSOptions(options);
    options.agent = this.#agent;
    return new Promise((resolve, reject) => {
      const transport = url.protocol === "https:" ? https : http;
      let sent = false;
      const fail = (cause: unknown) =>
        reject(new UnreachableError(this.#server.origin, sent, cause));
      const request = transport.request(url, options, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", fail);
        response.on("end", () =>
          resolve({
            code: response.statusCode ?? 0,
            text: Buffer.concat(chunks).toString("utf8"),
            retryAfter: Number(response.headers["retry-after"] ?? 1) || 1,
          }),
        );
      });
      request.setTimeout(IDLE_MILLISECONDS, () =>
        request.destroy(new Error("no answer for a minute")),
      );
      request.on("error", fail);
      request.on("socket", (socket) => {
        if (!socket.connecting) sent = true;
        else
          socket.once(url.protocol === "https:" ? "secureConnect" : "connect", () => (sent = true));
      });
      request.end(payload);
    });
  }
}

function groupVersionPath(apiVersion: string): string {
  return apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}

function segment(text: string): string {
  return encodeURIComponent(text);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A proxy in front of the API server may answer in HTML.
    return {};
  }
}
