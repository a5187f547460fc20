import type { Manifest } from "../../../kubernetes/values/manifest.ts";
import { endpointPickerName, label, metricsAuthName } from "../../names.ts";
import type { NetworkPolicyArgument } from "../../spec/network-policy.ts";
import type { GatewayLocation, PortRange } from "../network-policy.ts";
import type { PlanContext } from "../object-meta.ts";
import { type ProgramDeployment, planDeployment } from "../programs/deployment.ts";
import { planMetricsAuth } from "../programs/metrics-auth.ts";
import { planDisruptionBudget } from "../programs/program-pods.ts";
import { planIdentity } from "../programs/service-account.ts";
import { planPickerPolicy } from "./picker-network-policy.ts";

/** An endpoint picker of this project or of llm-d. */
export interface Picker {
  /** RBAC rules for the picker's namespace. */
  readonly rules: readonly object[];
  /** Whether /metrics requires a token with permission to read it. */
  readonly metricsAuth: boolean;
  readonly deployment: Omit<ProgramDeployment, "name" | "podLabels" | "annotations">;
  readonly service: Manifest;
  readonly networkPolicy: NetworkPolicyArgument;
  /** Location of the proxies that call this picker. */
  readonly gateway: GatewayLocation;
  /**
   * Whether `pulumi up` reads the pages through the API server. Its connections come from addresses of nodes or of a
   * control plane, which selectors of pods do not match, so any client may connect. Default false.
   */
  readonly proxiedPages?: boolean | undefined;
  /** Ports at which gateways call the picker. Default: the ext_proc port. */
  readonly askedAt?: PortRange | undefined;
}

/**
 * Returns the ServiceAccount, RBAC, Deployment, PodDisruptionBudget, Service and NetworkPolicy of a picker,
 * in this order.
 */
export function planPicker(context: PlanContext, picker: Picker): Manifest[] {
  const { deployment } = picker;
  const { name: owner, namespace } = context.metadata;
  const name = endpointPickerName(owner);
  const podLabels = { [label.app]: name, ...context.owner };
  return [
    ...planIdentity(context, name, { namespace: picker.rules }),
    ...(picker.metricsAuth
      ? planMetricsAuth(context, metricsAuthName(namespace, owner), name)
      : []),
    planDeployment(context, { name, podLabels, ...deployment }),
    ...planDisruptionBudget(context, name, podLabels, {
      ...deployment.pods,
      replicas: deployment.replicas,
    }),
    picker.service,
    ...planPickerPolicy(context, picker, podLabels),
  ];
}
