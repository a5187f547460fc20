import { describe, expect, it } from "vitest";
import { childName } from "./child-name.ts";

const service = { name: "deepseek", namespace: "prod", labels: {}, annotations: {} };

describe("childName", () => {
  it.each([
    ["LeaderWorkerSet", "deepseek-decode-0", "r1-leaderworkerset-decode-0"],
    ["LeaderWorkerSet", "deepseek-decode", "r1-leaderworkerset-decode"],
    ["PodGroup", "deepseek", "r1-podgroup"],
    ["ServiceAccount", "deepseek-epp", "r1-serviceaccount-epp"],
    ["ConfigMap", "deepseek-members", "r1-configmap-members"],
    ["HTTPRoute", "deepseek-httproute", "r1-httproute"],
    ["ClusterRole", "prod-deepseek-epp-metrics-auth", "r1-clusterrole-epp-metrics-auth"],
    ["Gateway", "shared", "r1-gateway-shared"],
  ])("the name of %s %s is %s", (kind, name, expected) => {
    expect(childName("r1", service, { apiVersion: "v1", kind, metadata: { name } })).toBe(expected);
  });
});
