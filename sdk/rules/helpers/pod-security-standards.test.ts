import { describe, expect, it } from "vitest";
import { readStack } from "../../stack/stack.ts";
import { unknownValue } from "../../stack/unknown-value.ts";
import { stackRules } from "../objects/index.ts";

const rule = stackRules.find(({ id }) => id === "pods-are-restricted");

const judged = (securityContext: unknown, parameters: object, kind = "Pod") => {
  const containers = [{ name: "server", image: "i", securityContext }];
  const spec = kind === "Pod" ? { containers } : { template: { spec: { containers } } };
  const metadata = { name: "pod" };
  const stack = readStack([{ apiVersion: kind === "Pod" ? "v1" : "a.b/v1", kind, metadata, spec }]);
  const verdict = rule?.judge(stack, parameters);
  return {
    findings: verdict?.findings.map(({ path, given }) => `${path.slice(5).join(".")} ${given}`),
    unknown: verdict?.unknown.map((path) => path.slice(1).join(".")),
  };
};

const safe = {
  allowPrivilegeEscalation: false,
  runAsNonRoot: true,
  capabilities: { drop: ["ALL"] },
  seccompProfile: { type: "RuntimeDefault" },
};

describe("rule pods-are-restricted", () => {
  it("level restricted refuses a container without a security context", () => {
    expect(judged({}, { level: "restricted" }).findings).toEqual([
      "allowPrivilegeEscalation is missing",
      "capabilities.drop is missing",
      "runAsNonRoot is missing",
      "seccompProfile.type is missing",
    ]);
    expect(judged({}, {}).findings).toEqual([]);
    expect(judged({}, { requireExplicitDenial: true }).findings).toEqual([
      "allowPrivilegeEscalation is missing",
    ]);
  });

  it("level restricted refuses IPC_LOCK, and level baseline allows it for RDMA", () => {
    const locking = { ...safe, capabilities: { drop: ["ALL"], add: ["IPC_LOCK"] } };
    expect(judged(safe, { level: "restricted" }).findings).toEqual([]);
    expect(judged(locking, {}).findings).toEqual([]);
    expect(judged(locking, { level: "restricted" }).findings).toEqual([
      "capabilities.add has IPC_LOCK",
    ]);
  });

  it("level baseline refuses capabilities that serving does not need", () => {
    const changing = { ...safe, capabilities: { drop: ["ALL"], add: ["CHOWN"] } };
    expect(judged(changing, {}).findings).toEqual(["capabilities.add has CHOWN"]);
  });
});

it("an unknown value in a pod template of an unknown kind is reported as unknown", () => {
  expect(judged(unknownValue, {}, "Robot")).toEqual({
    findings: [],
    unknown: ["spec.template.spec.containers.0.securityContext"],
  });
});
