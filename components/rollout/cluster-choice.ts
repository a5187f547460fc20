import * as pulumi from "@pulumi/pulumi";
import type { KubeconfigChoice } from "../../kubernetes/api/kubeconfig.ts";

/**
 * Returns the kubeconfig of a component's cluster: its explicit provider names it, otherwise the stack configuration
 * `kubernetes:kubeconfig`, otherwise the files that kubectl reads. Undefined if it is known only after an update, which
 * creates the cluster.
 */
export async function clusterChoice(
  component: pulumi.ComponentResource,
): Promise<KubeconfigChoice | undefined> {
  const provider = component.getProvider("kubernetes:core/v1:Pod");
  const config = new pulumi.Config("kubernetes");
  // The SDK sets the arguments of a provider as outputs of the same names.
  const given = provider as unknown as Record<string, pulumi.Input<string> | undefined> | undefined;
  const read = (key: string): pulumi.Output<string | undefined> =>
    pulumi.output(given === undefined ? config.get(key) : given[key]);
  const values = pulumi.all(["kubeconfig", "context", "cluster"].map(read));
  // The SDK publishes neither property.
  const { isKnown, promise } = values as unknown as OutputState<Array<string | undefined>>;
  if (!(await isKnown)) return undefined;
  const [kubeconfig, context, cluster] = await promise.call(values);
  return { kubeconfig, context, cluster };
}

interface OutputState<T> {
  readonly isKnown: Promise<boolean>;
  promise(): Promise<T>;
}
