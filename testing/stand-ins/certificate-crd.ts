import { kinds } from "../../kubernetes/kinds/index.ts";
import { unplanned } from "../../kubernetes/kinds/unplanned.ts";
import type { StructuralSchema } from "../../sdk/crds/structural-schema.ts";
import type { Crd } from "../api/upstream-crds.ts";

const text = { type: "string" };
const texts = { type: "array", items: text };
const object = (properties: Record<string, StructuralSchema>, required: string[] = []) => ({
  ...{ type: "object", properties },
  ...(required.length > 0 && { required }),
});

const { group, version, kind, plural } = kinds.Certificate;

/**
 * A stand-in for cert-manager's CRD of Certificates: of its spec it has the fields that plans write (cert-manager.io/v1,
 * CertificateSpec), and knows no others.
 */
export const certificateCrd: Crd = {
  apiVersion: unplanned.CustomResourceDefinition.apiVersion,
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { kind, plural },
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: object({
            spec: object(
              {
                secretName: text,
                dnsNames: texts,
                usages: texts,
                privateKey: object({ rotationPolicy: { ...text, enum: ["Never", "Always"] } }),
                issuerRef: object({ name: text, kind: text, group: text }, ["name"]),
              },
              ["secretName", "issuerRef"],
            ),
          }),
        },
      },
    ],
  },
};
