import type { KubeConfig } from "@kubernetes/client-node";
import { ApiError, NoAnswerError } from "../../kubernetes/api/api-error.ts";
import {
  type KubernetesClient,
  type Method,
  newKubernetesClient,
  type RequestOptions,
} from "../../kubernetes/api/client.ts";
import { UsageError } from "../exit-code.ts";
import type { Seen } from "./observation.ts";

/** Reads single objects from an API server. Refusal and absence are results, not errors. */
export interface ApiReader {
  get<T>(path: string, headers?: Readonly<Record<string, string>>): Promise<Seen<T>>;
  /** Returns a response that is not JSON, such as a log; undefined if it cannot be read. */
  text(path: string): Promise<string | undefined>;
  /** For reviews and tokens, which the API server answers but does not store. */
  review<T>(path: string, body: object): Promise<Seen<T>>;
}

/** Exit code 2 for every command: the API server refuses a request for another reason than permissions. */
export class RefusedRequest extends UsageError {
  readonly status: number;
  readonly detail: string;

  constructor(server: string, path: string, { status, detail }: ApiError) {
    super(
      `the API server ${server} answers ${status} to ${path}: ${detail}; if it is not the API server of your cluster, name another one with --context or --kubeconfig`,
    );
    this.status = status;
    this.detail = detail;
  }
}

/** Exit code 2 for every command: no connection or no response. */
const unreachable = (server: string, why: string) =>
  new UsageError(
    `the API server ${server} cannot be reached: ${why}; name another cluster with --context or --kubeconfig`,
  );

export function apiReader(config: KubeConfig): ApiReader {
  const server = config.getCurrentCluster()?.server ?? "";
  const client = connect(config, server);
  const send = async <T>(
    method: Method,
    path: string,
    options: RequestOptions,
  ): Promise<Seen<T>> => {
    try {
      return { state: "seen", value: await client.request<T>(method, path, options) };
    } catch (error) {
      if (error instanceof NoAnswerError) throw unreachable(server, error.detail);
      if (!(error instanceof ApiError)) throw error;
      const { status, detail } = error;
      if (status === 404) return { state: "absent" };
      if (status === 401 || status === 403) return { state: "forbidden", why: detail };
      throw new RefusedRequest(server, path, error);
    }
  };
  return {
    get: (path, headers) => send("GET", path, { ...(headers && { headers }) }),
    text: (path) => client.request<string>("GET", path, { isText: true }).catch(() => undefined),
    review: (path, body) => send("POST", path, { body }),
  };
}

function connect(config: KubeConfig, server: string): KubernetesClient {
  if (!URL.canParse(server)) throw unreachable(JSON.stringify(server), "it is not a URL");
  return newKubernetesClient(config, { timeoutMs: 10_000, retries: 2 });
}
