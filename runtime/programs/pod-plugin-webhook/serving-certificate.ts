import { X509Certificate } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { unlessAbsent } from "../../../kubernetes/api/api-error.ts";
import type { KubernetesClient } from "../../../kubernetes/api/client.ts";
import { kinds } from "../../../kubernetes/kinds/index.ts";
import { collectionPath, objectPath } from "../../../kubernetes/paths.ts";
import { podPluginConfigurationName, podPluginSecretName } from "../../../sdk/names.ts";
import type { Certificate } from "../../manager/tls/certificate.ts";
import { selfSignedCertificate } from "../../manager/tls/self-signed.ts";

export interface ServingCertificateOptions {
  readonly client: Pick<KubernetesClient, "request">;
  /** Namespace of the Secret. */
  readonly namespace: string;
  /** Host name that the API server uses for the webhook. */
  readonly hostname: string;
  /** Lifetime of a certificate, in ms. It is renewed when a third of its lifetime is left. */
  readonly lifetimeMs: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A Secret of type kubernetes.io/tls that also contains the previous certificate. */
interface TlsSecret {
  readonly metadata: { readonly name: string; readonly resourceVersion?: string };
  readonly data?: Readonly<Record<string, string>>;
}

interface WebhookConfiguration {
  readonly webhooks?: ReadonlyArray<{ readonly clientConfig: { readonly caBundle?: string } }>;
}

/** Longest time for API servers to read a new CA bundle, in ms. At most a sixth of the certificate's lifetime. */
const trustedAfterMs = 10_000;

const previousKey = "previous.crt";

/**
 * The certificate of all replicas, in a Secret that the leader writes, and the CA bundle with which API servers verify
 * it. A renewed certificate is in the bundle before a replica uses it. The previous certificate stays in the bundle
 * until it expires, so that API servers still trust a replica that has not read the Secret again.
 */
export class ServingCertificate {
  readonly #options: ServingCertificateOptions;

  constructor(options: ServingCertificateOptions) {
    this.#options = options;
  }

  /** Reads the certificate from the Secret; undefined if the Secret contains no certificate. */
  async read(): Promise<Certificate | undefined> {
    return certificateOf(await this.#secret());
  }

  /** Creates or renews the certificate if it is due, and updates the CA bundle. Only the leader may call this. */
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
    // API servers watch the bundle. Until they have read it, they do not trust the new certificate and refuse pods.
    if (current !== undefined)
      await sleep(Math.min(trustedAfterMs, lifetimeMs / 6), undefined, { ref: false });
    await this.#write(secret, next, before[0]);
    return next;
  }

  #isDue({ cert }: Certificate): boolean {
    const { lifetimeMs, hostname, now } = this.#options;
    const certificate = new X509Certificate(cert);
    const left = Date.parse(certificate.validTo) - now();
    // A certificate with a longer lifetime was created with an earlier setting.
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
    // If the configuration does not exist yet, the next check finds it.
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

  /** Writes with the version that was read, so that only one of two concurrent leaders succeeds. */
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
