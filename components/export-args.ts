import type { ExportMode, ExportServiceType } from "./vocabulary.ts";

/** Exports a pool to the other clusters of its set, whose controller makes an InferencePoolImport of it in each. */
export interface Export {
  /** Default `EndpointMode`. */
  mode?: ExportMode;
  /** Whether the GKE fleet imports the pool too. Default false. */
  gkeFleet?: boolean;
  /** Service of the picker. Default `ClusterIP`, where cluster addresses are routed between clusters. */
  serviceType?: ExportServiceType;
  /** Annotations of that Service, such as a cloud's for internal load balancers. */
  serviceAnnotations?: Record<string, string>;
  /**
   * Secret with tls.crt and tls.key that the picker serves with; importing clusters verify it. Default: a self-signed
   * certificate, which none of them can verify.
   */
  certificateSecret?: string;
  /**
   * ConfigMap with key `ca.crt`: whoever asks the picker, gateways of its own cluster too, needs a certificate of these
   * certificate authorities. Default: nobody does.
   */
  clientCaConfigMap?: string;
  /** Networks, as CIDRs, from which other clusters reach the picker. Default any. */
  allowedNetworks?: string[];
  /**
   * Whether other clusters reach the picker's metrics too, for importing pickers that choose by load. Whoever reaches it may
   * read them: with `clientCaConfigMap` and `certificateSecret` by certificate, else from `allowedNetworks`. Default false.
   */
  metrics?: boolean;
}
