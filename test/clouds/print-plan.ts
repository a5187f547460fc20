import { resolve } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { MockMonitor } from "@pulumi/pulumi/runtime/mocks.js";

/**
 * Plans a program with Pulumi's mocks and prints its resources and outputs as JSON. Arguments: the program, its project,
 * and its configuration as JSON.
 */

const [program = "", project = "", config = "{}"] = process.argv.slice(2);

/** A resource as the program registers it. */
export interface PlannedResource {
  readonly urn: string;
  readonly type: string;
  readonly name: string;
  readonly inputs: Record<string, unknown>;
  /** URNs of the resources that it waits for: dependencies, its provider and its parent. */
  readonly after: readonly string[];
}

export interface CloudPlan {
  readonly resources: readonly PlannedResource[];
  readonly outputs: Readonly<Record<string, unknown>>;
}

/** Outputs of resources that the programs read, as the clouds set them. */
const outputsOf: Readonly<Record<string, Record<string, unknown>>> = {
  "gcp:container/cluster:Cluster": {
    endpoint: "192.0.2.1",
    masterAuth: { clusterCaCertificate: "Y2E=" },
  },
  "awsx:ec2:Vpc": {
    vpcId: "vpc-1",
    publicSubnetIds: ["subnet-1", "subnet-2"],
    privateSubnetIds: ["subnet-3", "subnet-4"],
  },
  "eks:index:Cluster": { kubeconfigJson: "{}", eksCluster: { name: "inference" } },
  "kubernetes:gateway.networking.k8s.io/v1:Gateway": {
    status: { addresses: [{ type: "IPAddress", value: "203.0.113.7" }] },
  },
};

const kubeconfig = Buffer.from("{}").toString("base64");
const made: Array<Pick<PlannedResource, "type" | "name" | "inputs">> = [];
const after = new Map<string, readonly string[]>();

// Mocks receive no dependencies, so they are read from the requests.
const register = MockMonitor.prototype.registerResource;
MockMonitor.prototype.registerResource = async function (request, callback) {
  const provider = request.getProvider().split("::").slice(0, -1).join("::");
  // Components that are arguments, such as a cluster of EKS, are references in the inputs.
  const inputs = JSON.stringify(request.getObject()?.toJavaScript() ?? {});
  const references = [...inputs.matchAll(/"urn":"([^"]+)"/g)].map(([, urn = ""]) => urn);
  const dependencies = request.getDependenciesList();
  const urns = [...dependencies, ...references, provider, request.getParent()];
  // biome-ignore lint/complexity/useLiteralKeys: the method is private.
  const urn = this["newUrn"](request.getParent(), request.getType(), request.getName());
  after.set(urn, urns.filter(Boolean));
  return register.call(this, request, callback);
};

await pulumi.runtime.setMocks(
  {
    newResource({ type, name, inputs }) {
      made.push({ type, name, inputs });
      return { id: `${name}-id`, state: { name, ...inputs, ...outputsOf[type] } };
    },
    call: ({ inputs, token }) =>
      token.endsWith(":listManagedClusterUserCredentials")
        ? { kubeconfigs: [{ name: "clusterUser", value: kubeconfig }] }
        : inputs,
  },
  project,
  "test",
);
pulumi.runtime.setAllConfig(JSON.parse(config));

const exported = await import(resolve(program));
const outputs = Object.fromEntries(
  await Promise.all(
    Object.entries(exported).map(async ([name, value]) => [
      name,
      await new Promise((done) => (pulumi.output(value) as pulumi.Output<unknown>).apply(done)),
    ]),
  ),
);
await pulumi.runtime.disconnect();

const resources = [...after].map(([urn, urns]) => {
  const [types = "", name = ""] = urn.split("::").slice(2);
  const type = types.split("$").at(-1);
  const found = made.find((each) => each.type === type && each.name === name);
  return { urn, type, name, inputs: found?.inputs ?? {}, after: urns };
});
process.stdout.write(JSON.stringify({ resources, outputs }));
