import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { type AnswerLimits, ownLimits } from "../../../kubernetes/api/answer-limits.ts";
import { type KubernetesClient, newKubernetesClient } from "../../../kubernetes/api/client.ts";
import { loadKubeConfig } from "../../../kubernetes/api/load-kubeconfig.ts";

/** Location of a kubeconfig. */
export interface KubeConfigLocation {
  /** Default: the file that kubectl uses, or the service account of the pod. */
  readonly file?: string | undefined;
  /** Default: the file's current context. */
  readonly context?: string | undefined;
}

/**
 * A client whose kubeconfig may change. Later requests use the new one. Watches that use the old client end, and
 * continue with the new client.
 */
export class RotatingClient implements KubernetesClient {
  readonly #location: KubeConfigLocation;
  readonly #limits: AnswerLimits;
  #text: string | undefined;
  #client: KubernetesClient;

  /** Throws if the file or the context does not exist. */
  constructor(location: KubeConfigLocation, limits: AnswerLimits = ownLimits) {
    this.#location = location;
    this.#limits = limits;
    this.#text = textOf(location);
    this.#client = newKubernetesClient(loadKubeConfig(location), { limits });
  }

  /** Server and CA in the kubeconfig, which identify the cluster. */
  get server(): { readonly url: string; readonly ca: string | undefined } {
    const cluster = loadKubeConfig(this.#location).getCurrentCluster();
    const { caData, caFile } = cluster ?? {};
    const pem = caData ?? (caFile && readFileSync(caFile).toString("base64"));
    const ca = pem && createHash("sha256").update(pem).digest("hex");
    return { url: cluster?.server ?? "", ca: ca || undefined };
  }

  get limits(): AnswerLimits {
    return this.#limits;
  }

  request: KubernetesClient["request"] = (...args) => this.#client.request(...args);
  watch: KubernetesClient["watch"] = (...args) => this.#client.watch(...args);

  close(): void {
    this.#client.close();
  }

  /** Reads the file again, and returns whether it has changed. Throws if it is invalid, and keeps the old client. */
  refresh(): boolean {
    const text = textOf(this.#location);
    if (text === this.#text) return false;
    const client = newKubernetesClient(loadKubeConfig(this.#location), { limits: this.#limits });
    this.#client.close();
    this.#client = client;
    this.#text = text;
    return true;
  }
}

const textOf = ({ file }: KubeConfigLocation) =>
  file === undefined ? undefined : readFileSync(file, "utf8");
