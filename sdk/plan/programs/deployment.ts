import { kinds } from "../../../kubernetes/kinds/index.ts";
import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { present } from "../../../kubernetes/values/present.ts";
import type { ProgramPods } from "../../spec/program-pods.ts";
import { objectMeta, type PlanContext } from "../object-meta.ts";
import { restrictedPod } from "./pod-security.ts";
import { programPlacement } from "./program-pods.ts";

/** A program that runs in a Deployment, such as a picker or a controller. */
export interface ProgramDeployment {
  /** Name of the Deployment and of the ServiceAccount. */
  readonly name: string;
  readonly podLabels: Readonly<Record<string, string>>;
  readonly replicas: number;
  readonly pods: ProgramPods;
  readonly strategy?: object | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly schedulerName?: string | undefined;
  readonly terminationGracePeriodSeconds?: number | undefined;
  readonly initContainers?: readonly object[];
  readonly containers: readonly object[];
  readonly volumes: readonly object[] | undefined;
}

export function planDeployment(context: PlanContext, program: ProgramDeployment): Manifest {
  const { name, podLabels, replicas, pods, strategy, annotations } = program;
  return {
    apiVersion: kinds.Deployment.apiVersion,
    kind: "Deployment",
    metadata: objectMeta(context, name, podLabels),
    spec: present({
      replicas,
      strategy,
      selector: { matchLabels: podLabels },
      template: {
        metadata: present({ labels: podLabels, annotations }),
        spec: present({
          schedulerName: program.schedulerName,
          priorityClassName: pods.priorityClassName,
          serviceAccountName: name,
          ...programPlacement(pods, podLabels),
          terminationGracePeriodSeconds: program.terminationGracePeriodSeconds,
          securityContext: restrictedPod,
          initContainers: program.initContainers,
          containers: program.containers,
          volumes: program.volumes,
        }),
      },
    }),
  };
}
