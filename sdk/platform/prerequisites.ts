/** A component of the cluster that planned objects need, in the version that the tests of this release run against. */
export interface Prerequisite {
  /** Name in messages and on pages. */
  readonly title: string;
  /** Tested release, without a leading `v`. */
  readonly version: string;
  /** Go module from which the manifests are made. */
  readonly module: string;
  /** Name in commands and of folders. */
  readonly folder: string;
  /** Feature that needs it. */
  readonly use: string;
  /** Command that installs the release as its project documents it. */
  readonly install: string;
}

/**
 * The tested versions, in the order in which to install them. `doctor`, `bundle`, the component InferencePlatform and
 * docs/air-gap.md read this table. A test compares it with the versions in `testing/go`.
 */
export const prerequisites = {
  gatewayApi: {
    title: "Gateway API",
    version: "1.4.1",
    module: "sigs.k8s.io/gateway-api",
    folder: "gateway-api",
    use: "routers with routes",
    install:
      "kubectl apply --server-side -f https://github.com/kubernetes-sigs/gateway-api/releases/download/v1.4.1/standard-install.yaml",
  },
  inferenceExtension: {
    title: "Gateway API Inference Extension",
    version: "1.5.0",
    module: "sigs.k8s.io/gateway-api-inference-extension",
    folder: "inference-extension",
    use: "routers",
    install:
      "kubectl apply --server-side -f https://github.com/kubernetes-sigs/gateway-api-inference-extension/releases/download/v1.5.0/v1-manifests.yaml",
  },
  leaderWorkerSet: {
    title: "LeaderWorkerSet",
    version: "0.9.0",
    module: "sigs.k8s.io/lws",
    folder: "lws",
    use: "every role that runs an engine",
    install:
      "helm upgrade --install lws oci://registry.k8s.io/lws/charts/lws --version 0.9.0 -n lws-system --create-namespace",
  },
  volcano: {
    title: "Volcano",
    version: "1.14.1",
    module: "volcano.sh/volcano",
    folder: "volcano",
    use: "gangs",
    install:
      "helm upgrade --install volcano volcano --repo https://volcano-sh.github.io/helm-charts --version 1.14.1 -n volcano-system --create-namespace",
  },
  keda: {
    title: "KEDA",
    version: "2.21.0",
    module: "github.com/kedacore/keda/v2",
    folder: "keda",
    use: "roles with autoscaling",
    install:
      "helm upgrade --install keda keda --repo https://kedacore.github.io/charts --version 2.21.0 -n keda --create-namespace",
  },
} as const satisfies Record<string, Prerequisite>;

export type PrerequisiteName = keyof typeof prerequisites;

/** Names in the order of installing. */
export const prerequisiteNames = Object.keys(prerequisites) as PrerequisiteName[];
