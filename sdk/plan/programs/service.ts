import { kinds } from "../../../kubernetes/kinds/index.ts";
import type { Manifest, ObjectMeta } from "../../../kubernetes/values/manifest.ts";
import { present } from "../../../kubernetes/values/present.ts";
import { label } from "../../names.ts";

/** Returns the Service of a program, whose pods have the Service's name as their app label. */
export const planService = (metadata: ObjectMeta, spec: object): Manifest => ({
  apiVersion: kinds.Service.apiVersion,
  kind: "Service",
  metadata,
  spec,
});

/** Returns the selector of a program's pods. */
export const ofProgram = (name: string) => ({ [label.app]: name });

/** Returns a TCP port of a Service. */
export const servicePort = (
  name: string,
  port: number,
  appProtocol?: string,
  targetPort: number = port,
) => present({ name, port, targetPort, protocol: "TCP", appProtocol });

/** Returns a TCP port of a container. */
export const containerPort = (name: string, number: number) => ({
  name,
  containerPort: number,
  protocol: "TCP",
});
