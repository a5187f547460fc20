import {
  type KubernetesClient,
  type Method,
  newKubernetesClient,
  type WatchEvent,
} from "../../kubernetes/api/client.ts";
import { newKubeConfig } from "../../kubernetes/api/client-library.ts";
import { readKubeconfig } from "../../kubernetes/api/kubeconfig.ts";
import { applyPatchType } from "../../kubernetes/api/patch-types.ts";

/** The address of an API server and the credentials for it. */
export interface Connection {
  /** For example `https://127.0.0.1:41234`. */
  url: string;
  /** Certificates that the server's must chain to, PEM. */
  ca: string;
  /** Bearer token; empty for an anonymous client. */
  token: string;
}

/** The product's client in the few words of a test or a stand-in. */
export interface ApiClient {
  /**
   * Sends one request and returns the parsed body; throws ApiError for anything but 2xx.
   * @param body sent as JSON
   * @param contentType default `application/json`; a PATCH must say which kind of patch it is
   */
  request<T = unknown>(
    method: Method,
    path: string,
    body?: unknown,
    contentType?: string,
  ): Promise<T>;
  /** Server-side apply of one object, fields not in the schema refused. The path names the object. */
  apply<T = unknown>(path: string, object: object, fieldManager?: string): Promise<T>;
  /** The events of a watch request, until the server ends it or the signal aborts. */
  watch<T = unknown>(path: string, signal: AbortSignal): AsyncGenerator<WatchEvent<T>, void>;
  /** Ends idle connections. */
  close(): void;
}

/** Milliseconds that a request may take on a machine with much else to do. */
const timeoutMs = 300_000;
/** The longest that a timer waits, in milliseconds: a watch may be silent for as long as it lasts. */
const foreverMs = 2 ** 31 - 1;

export function connect(connection: Connection): ApiClient {
  const config = newKubeConfig();
  config.loadFromString(kubeconfigOf(connection));
  return withWords(newKubernetesClient(config, { timeoutMs, userAgent: "harness" }));
}

/** The client of a context of a kubeconfig. */
export const connectTo = (kubeconfig: string, context?: string): ApiClient =>
  withWords(
    newKubernetesClient(readKubeconfig(newKubeConfig(), { kubeconfig, context }), {
      timeoutMs,
      userAgent: "harness",
    }),
  );

/** A kubeconfig with a single context, `harness`. JSON is YAML, so that it is one as it stands. */
export function kubeconfigOf({ url, ca, token }: Connection): string {
  const name = "harness";
  const certificate = Buffer.from(ca).toString("base64");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster: { server: url, "certificate-authority-data": certificate } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    "current-context": name,
  };
  return JSON.stringify(config, null, 2);
}

function withWords({ request, watch, close }: KubernetesClient): ApiClient {
  return {
    request: (method, path, body, contentType) =>
      request(method, path, { body, ...(contentType !== undefined && { contentType }) }),
    apply: (path, body, fieldManager = "harness") =>
      request("PATCH", path, {
        query: { fieldManager, fieldValidation: "Strict", force: "true" },
        ...{ body, contentType: applyPatchType },
      }),
    watch: (path, signal) => watch(path, { signal, silenceMs: () => foreverMs }),
    close,
  };
}
