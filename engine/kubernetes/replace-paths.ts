import { type PropertyPath, parsePropertyPath } from "../../kubernetes/values/property-path.ts";
import { contains } from "../property-path.ts";
import { annotation, type KubernetesObject } from "./object.ts";

// Immutable fields, from the table of the Pulumi Kubernetes provider 4.34. It does not contain custom resources: a
// program lists their immutable fields in `replaceOnChanges`.
const JOB = ["spec.completions", "spec.parallelism", "spec.selector", "spec.template"];
const ROLE_BINDING = ["roleRef"];
const SELECTOR = ["spec.selector"];
const CONTAINER_FIELDS = [
  ...["args", "command", "env", "image", "imagePullPolicy", "lifecycle", "livenessProbe", "ports"],
  ...[
    "readinessProbe",
    "resources",
    "securityContext",
    "stdin",
    "stdinOnce",
    "terminationMessagePath",
  ],
  ...["terminationMessagePolicy", "tty", "volumeDevices", "volumeMounts", "workingDir"],
];

const TABLE: Readonly<Record<string, readonly string[]>> = {
  "apps/v1/DaemonSet": SELECTOR,
  "apps/v1/Deployment": SELECTOR,
  "apps/v1/StatefulSet": [
    ...["spec.podManagementPolicy", "spec.revisionHistoryLimit", "spec.selector"],
    ...["spec.serviceName", "spec.volumeClaimTemplates"],
  ],
  "batch/v1/Job": JOB,
  "rbac.authorization.k8s.io/v1/ClusterRoleBinding": ROLE_BINDING,
  "rbac.authorization.k8s.io/v1/RoleBinding": ROLE_BINDING,
  "storage.k8s.io/v1/StorageClass": ["parameters", "provisioner"],
  "v1/PersistentVolume": [
    ...[
      "awsElasticBlockStore",
      "azureDisk",
      "azureFile",
      "cephfs",
      "cinder",
      "csi",
      "fc",
      "flexVolume",
    ],
    ...["flocker", "gcePersistentDisk", "glusterfs", "hostPath", "iscsi", "local", "nfs"],
    ...[
      "photonPersistentDisk",
      "portworxVolume",
      "quobyte",
      "rbd",
      "scaleIO",
      "storageos",
      "vsphereVolume",
    ],
  ].map((source) => `spec.${source}`),
  "v1/PersistentVolumeClaim": [
    ...["spec.accessModes", "spec.selector", "spec.storageClassName", "spec.volumeName"],
  ],
  "v1/Pod": [
    ...[
      ...[
        "affinity",
        "automountServiceAccountToken",
        "dnsConfig",
        "dnsPolicy",
        "enableServiceLinks",
      ],
      ...[
        "hostAliases",
        "hostIPC",
        "hostNetwork",
        "hostPID",
        "hostname",
        "imagePullSecrets",
        "nodeName",
      ],
      ...["nodeSelector", "overhead", "preemptionPolicy", "priority", "priorityClassName"],
      ...[
        "readinessGates",
        "restartPolicy",
        "runtimeClassName",
        "schedulerName",
        "securityContext",
      ],
      ...["serviceAccount", "serviceAccountName", "shareProcessNamespace", "subdomain"],
      ...["terminationGracePeriodSeconds", "volumes"],
    ].map((field) => `spec.${field}`),
    ...CONTAINER_FIELDS.flatMap((field) => [
      `spec.containers[*].${field}`,
      `spec.initContainers[*].${field}`,
    ]),
  ],
  "v1/ResourceQuota": ["spec.scopes"],
  "v1/Service": ["spec.clusterIP"],
};

const IDENTITY = ["metadata.name", "metadata.namespace"];
const SECRET_TYPE = ["type"];
const SECRET_DATA = ["type", "stringData", "data"];
const CONFIG_MAP_DATA = ["binaryData", "data"];

export interface Mutability {
  /** Whether data of Secrets is updated in place. Default false: a change creates a new Secret. */
  enableSecretMutable: boolean;
  /** The same for ConfigMaps. */
  enableConfigMapMutable: boolean;
}

/** Returns the changed paths that require the replacement of an object. */
export function replacingPaths(
  object: KubernetesObject,
  changed: readonly PropertyPath[],
  mutability: Mutability,
): PropertyPath[] {
  const immutable = immutablePaths(object, mutability).map(parsePropertyPath);
  return changed.filter(
    (path) =>
      // The whole metadata, changed or unknown, includes the name.
      isWholeMetadata(path) || immutable.some((candidate) => contains(candidate, path)),
  );
}

function isWholeMetadata(path: PropertyPath): boolean {
  return path.length === 1 && path[0] === "metadata";
}

function immutablePaths(
  object: KubernetesObject,
  { enableSecretMutable, enableConfigMapMutable }: Mutability,
): readonly string[] {
  const key = `${object.apiVersion}/${object.kind}`;
  const sealed = object.immutable === true;
  if (key === "v1/Secret") {
    return [...IDENTITY, ...(enableSecretMutable && !sealed ? SECRET_TYPE : SECRET_DATA)];
  }
  if (key === "v1/ConfigMap") {
    return [...IDENTITY, ...(enableConfigMapMutable && !sealed ? [] : CONFIG_MAP_DATA)];
  }
  return [...IDENTITY, ...(TABLE[key] ?? [])];
}

/** Whether the provider generated the name of the object, so that a replacement can have another name. */
export function isAutonamed(object: KubernetesObject): boolean {
  return annotation(object, "pulumi.com/autonamed") === "true";
}
