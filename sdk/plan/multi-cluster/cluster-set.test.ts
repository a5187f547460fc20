import { describe, expect, it } from "vitest";
import { identityOf } from "../../../kubernetes/values/manifest.ts";
import { parseKind } from "../../validate/spec-kind.ts";
import { clusterSetMemberSpecKind, clusterSetSpecKind } from "../../validate/spec-kinds.ts";
import { planClusterSet, planClusterSetMember } from "./cluster-set.ts";
import { multiClusterHubRules, multiClusterMemberRules } from "./rbac.ts";

const metadata = { name: "set", namespace: "system" };
const members = [
  { name: "east", kubeconfigSecret: "east" },
  { name: "west", kubeconfigSecret: "west-admin", key: "config", context: "w" },
];
const set = (spec: object) =>
  planClusterSet(parseKind(clusterSetSpecKind, { metadata, spec: { members, ...spec } }));
const name = "inference-multi-cluster-controller";

describe("a cluster set", () => {
  const plan = set({ staleAfter: "10m" });
  const of = (kind: string) => plan.find((manifest) => manifest.kind === kind);

  it("plans a controller in the hub", () => {
    expect(plan.map(identityOf)).toEqual([
      `/ServiceAccount/system/${name}`,
      `rbac.authorization.k8s.io/Role/system/${name}`,
      `rbac.authorization.k8s.io/RoleBinding/system/${name}`,
      `rbac.authorization.k8s.io/ClusterRole//${name}-hub`,
      `rbac.authorization.k8s.io/ClusterRoleBinding//${name}-hub`,
      `/ConfigMap/system/${name}-members`,
      `apps/Deployment/system/${name}`,
      `/Service/system/${name}`,
      `networking.k8s.io/NetworkPolicy/system/${name}`,
    ]);
    expect(of("Role")?.rules).toEqual(multiClusterHubRules());
  });

  it("mounts each member's kubeconfig at the path in the members file", () => {
    const { data } = of("ConfigMap") as unknown as { data: Record<string, string> };
    expect(JSON.parse(data["members.yaml"] as string)).toEqual({
      members: [
        { name: "east", kubeconfig: "/var/run/members/east/kubeconfig" },
        { name: "west", kubeconfig: "/var/run/members/west/kubeconfig", context: "w" },
      ],
    });
    expect(of("Deployment")?.spec).toMatchObject({
      template: {
        spec: {
          containers: [
            {
              args: [
                "multi-cluster-controller",
                "--members-file=/etc/cluster-set/members.yaml",
                "--lease-namespace=system",
                "--import-into-exporters=false",
                "--import-grace-period=30s",
                "--metrics-endpoint-auth=true",
                "--stale-after=10m",
              ],
            },
          ],
          volumes: [
            { configMap: { name: `${name}-members` } },
            {
              projected: {
                sources: [
                  {
                    secret: {
                      name: "east",
                      items: [{ key: "kubeconfig", path: "east/kubeconfig" }],
                    },
                  },
                  {
                    secret: {
                      name: "west-admin",
                      items: [{ key: "config", path: "west/kubeconfig" }],
                    },
                  },
                ],
              },
            },
          ],
        },
      },
    });
  });

  it("passes each member's policy to the controller", () => {
    const policy = {
      exports: [{ namespace: "ml", pools: ["llama-*"] }],
      maxExports: 5,
      networks: ["10.4.0.0/16"],
      maxEndpoints: 64,
      uid: "u",
    };
    const plan = set({ members: [{ ...members[0], ...policy }] });
    const { data } = plan.find(({ kind }) => kind === "ConfigMap") as unknown as {
      data: Record<string, string>;
    };
    expect(JSON.parse(data["members.yaml"] ?? "")).toEqual({
      members: [{ name: "east", kubeconfig: "/var/run/members/east/kubeconfig", ...policy }],
    });
  });

  it.each([
    ["an invalid network", { members: [{ ...members[0], networks: ["10.4.0.0"] }] }, "networks[0]"],
    [
      "a star inside an export pattern",
      { members: [{ ...members[0], exports: [{ namespace: "m*l" }] }] },
      "exports[0].namespace",
    ],
    ["no members", { members: [] }, "members: is an empty list"],
    ["a duplicate member", { members: [members[0], members[0]] }, 'members[1].name: is "east"'],
    [
      "a grace period that is not a duration",
      { importGracePeriod: "soon" },
      'importGracePeriod: is "soon"',
    ],
    ["a name without a domain", { controllerName: "mine" }, 'controllerName: is "mine"'],
  ])("a cluster set with %s is refused", (_, spec, message) => {
    expect(() => set(spec)).toThrow(message);
  });
});

describe("a member", () => {
  const member = (spec: object) =>
    planClusterSetMember(parseKind(clusterSetMemberSpecKind, { metadata, spec }));

  it("has the controller's account and permissions", () => {
    const plan = member({});
    expect(plan.map(identityOf)).toEqual([
      `/ServiceAccount/system/${name}`,
      `rbac.authorization.k8s.io/ClusterRole//${name}`,
      `rbac.authorization.k8s.io/ClusterRoleBinding//${name}`,
    ]);
    expect(plan[1]?.rules).toEqual(multiClusterMemberRules);
  });

  it("has a long-lived token if requested", () => {
    expect(member({ token: true }).at(-1)).toMatchObject({
      kind: "Secret",
      metadata: {
        name: `${name}-token`,
        annotations: { "kubernetes.io/service-account.name": name },
      },
      type: "kubernetes.io/service-account-token",
    });
  });
});
