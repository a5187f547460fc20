import { randomUUID } from "node:crypto";
import { type EtcdLocation, putObject } from "./etcd-objects.ts";
import type { Crd } from "./upstream-crds.ts";

/**
 * Writes CRDs to etcd as an API server stores them once it has accepted their names. An API server that starts on this
 * data serves their kinds immediately and delays no creation, for half the work of installing them. Whether an API
 * server accepts a CRD is tested where `installCrds` installs it.
 */
export async function writeEstablishedCrds(
  etcd: EtcdLocation,
  crds: readonly Crd[],
): Promise<void> {
  await Promise.all(
    crds.map((crd) =>
      putObject(
        etcd,
        `apiextensions.k8s.io/customresourcedefinitions/${crd.metadata.name}`,
        established(crd),
      ),
    ),
  );
}

function established({ apiVersion, kind, metadata, spec }: Crd): object {
  const lastTransitionTime = new Date().toISOString();
  const condition = (type: string, reason: string) => ({
    ...{ type, status: "True", reason, message: "", lastTransitionTime },
  });
  return {
    apiVersion,
    kind,
    metadata: {
      ...metadata,
      uid: randomUUID(),
      generation: 1,
      creationTimestamp: lastTransitionTime,
    },
    spec,
    status: {
      conditions: [
        condition("NamesAccepted", "NoConflicts"),
        condition("Established", "InitialNamesAccepted"),
      ],
      acceptedNames: spec.names,
      storedVersions: spec.versions.filter(({ storage }) => storage).map(({ name }) => name),
    },
  };
}
