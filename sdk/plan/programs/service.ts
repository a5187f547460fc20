import { kinds } from "../../../kubernetes/kinds/index.ts";
import type { Manifest, ObjectMeta } from "../../../kubernetes/values/manifest.ts";
import { present } from "../../../kubernetes/values/present.ts";
import { label } from "../../topology/names.ts";

/** The Service of a program, whose pods have its name as their app. */
export const planService = (metadata: ObjectMeta, spec: object): Manifest => ({
  apiVersion: kinds.Service.apiVersion,
  kind: "Service",
  metadata,
  spec,
});

/** What selects the pods of a program. */
export const ofProgram = (name: string) => ({ [label.app]: name });

/** A port of a Service, over TCP. */
export const servicePort = (
  name: string,
  port: number,
  appProtocol?: string,
  targetPort: number = port,
) => present({ name, port, targetPort, protocol: "TCP", appProtocol });

/** A port of a container, over TCP. */
export const containerPort = (name: string, number: number) => ({
  name,
  containerPort: number,
  protocol: "TCP",
});
