import { X509Certificate } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { unlessAbsent } from "../../../kubernetes/api/api-error.ts";
import type { KubernetesClient } from "../../../kubernetes/api/client.ts";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import { collectionPath, objectPath } from "../../../kubernetes/paths.ts";
import { podPluginConfigurationName, podPluginSecretName } from "../../../sdk/topology/names.ts";
import type { Certificate } from "../../manager/tls/certificate.ts";
import { selfSignedCertificate } from "../../manager/tls/self-signed.ts";

export interface ServingCertificateOptions {
  readonly client: Pick<KubernetesClient, "request">;
  /** Namespace of the Secret. */
  readonly namespace: string;
  /** Name by which the API server reaches the webhook. */
  readonly hostname: string;
  /** Life of a certificate, in milliseconds; it is renewed when a third of it is left. */
  readonly lifetimeMs: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A Secret of type kubernetes.io/tls, with the certificate that came before its own. */
interface TlsSecret {
  readonly metadata: { readonly name: string; readonly resourceVersion?: string };
  readonly data?: Readonly<Record<string, string>>;
}

interface WebhookConfiguration {
  readonly webhooks?: ReadonlyArray<{ readonly clientConfig: { readonly caBundle?: string } }>;
}

/** Milliseconds after which API servers are taken to have read a bundle; less for certificates of seconds. */
const trustedAfterMs = 10_000;

const previousKey = "previous.crt";

/**
 * The certificate that all replicas serve with, in a Secret that the leader writes, and the bundle by which API servers
 * verify it. A renewed one is in the bundle before anybody serves with it, and the one before stays in it until it
 * expires, so that no replica is distrusted while it has not looked at the Secret again.
 */
export class ServingCertificate {
  readonly #options: ServingCertificateOptions;

  constructor(options: ServingCertificateOptions) {
    this.#options = options;
  }

  /** The certificate of the Secret; undefined while there is none. */
  async read(): Promise<Certificate | undefined> {
    return certificateOf(await this.#secret());
  }

  /** Makes or renews the certificate where that is due, and has API servers trust it. For the leader alone. */
  async keep(): Promise<Certificate> {
    const secret = await this.#secret();
    const current = certificateOf(secret);
    if (current !== undefined && !this.#isDue(current)) {
      await this.#trust([current.cert, ...this.#previousOf(secret)]);
      return current;
    }
    const { hostname, lifetimeMs, now } = this.#options;
    const at = now();
    const next = selfSignedCertificate(hostname, new Date(at), new Date(at + lifetimeMs));
    const before = current === undefined ? [] : [current.cert];
    await this.#trust([next.cert, ...before]);
    // API servers learn of the bundle by a watch; until then they refuse pods by a certificate that they do not know.
    if (current !== undefined)
      await sleep(Math.min(trustedAfterMs, lifetimeMs / 6), undefined, { ref: false });
    await this.#write(secret, next, before[0]);
    return next;
  }

  #isDue({ cert }: Certificate): boolean {
    const { lifetimeMs, hostname, now } = this.#options;
    const certificate = new X509Certificate(cert);
    const left = Date.parse(certificate.validTo) - now();
    // One that would outlive what is allowed now is of an earlier setting.
    return (
      left < lifetimeMs / 3 || left > lifetimeMs || certificate.checkHost(hostname) === undefined
    );
  }

  #previousOf(secret: TlsSecret | undefined): Buffer[] {
    const written = secret?.data?.[previousKey];
    if (written === undefined) return [];
    const cert = Buffer.from(written, "base64");
    return Date.parse(new X509Certificate(cert).validTo) > this.#options.now() ? [cert] : [];
  }

  async #trust(certificates: readonly Buffer[]): Promise<void> {
    const { client } = this.#options;
    const path = objectPath(kinds.MutatingWebhookConfiguration, {
      name: podPluginConfigurationName,
    });
    const caBundle = Buffer.concat(certificates).toString("base64");
    // A configuration that is yet to come is looked for again.
    const found = await unlessAbsent(client.request<WebhookConfiguration>("GET", path));
    const { webhooks = [] } = found ?? {};
    const patch = webhooks.flatMap(({ clientConfig }, at) =>
      clientConfig.caBundle === caBundle
        ? []
        : [{ op: "add", path: `/webhooks/${at}/clientConfig/caBundle`, value: caBundle }],
    );
    if (patch.length === 0) return;
    await client.request("PATCH", path, {
      body: patch,
      contentType: "application/json-patch+json",
    });
  }

  #secret(): Promise<TlsSecret | undefined> {
    const { client, namespace } = this.#options;
    const path = objectPath(kinds.Secret, { namespace, name: podPluginSecretName });
    return unlessAbsent(client.request<TlsSecret>("GET", path));
  }

  /** By the version that was read: of two leaders at once one writes. */
  async #write(
    secret: TlsSecret | undefined,
    { cert, key }: Certificate,
    previous: Buffer | undefined,
  ): Promise<void> {
    const { client, namespace } = this.#options;
    const body = {
      apiVersion: "v1",
      kind: "Secret",
      type: "kubernetes.io/tls",
      metadata: secret?.metadata ?? { name: podPluginSecretName, namespace },
      data: {
        "tls.crt": cert.toString("base64"),
        "tls.key": key.toString("base64"),
        ...(previous === undefined ? {} : { [previousKey]: previous.toString("base64") }),
      },
    };
    if (secret === undefined)
      await client.request("POST", collectionPath(kinds.Secret, namespace), { body });
    else
      await client.request(
        "PUT",
        objectPath(kinds.Secret, { namespace, name: podPluginSecretName }),
        { body },
      );
  }
}

function certificateOf(secret: TlsSecret | undefined): Certificate | undefined {
  const { "tls.crt": cert, "tls.key": key } = secret?.data ?? {};
  if (cert === undefined || key === undefined) return undefined;
  return { cert: Buffer.from(cert, "base64"), key: Buffer.from(key, "base64") };
}
