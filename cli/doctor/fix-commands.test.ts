import { expect, it } from "vitest";
import { prerequisites } from "../../sdk/platform/prerequisites.ts";
import type { CheckResult } from "./check-result.ts";
import { fixScript } from "./fix-commands.ts";

const finding = (level: CheckResult["level"], title: string, fix?: string): CheckResult => ({
  check: "c",
  level,
  title,
  ...(fix !== undefined && { fix }),
});

it("fixScript prints each command once, installations first and in their order", () => {
  const { gatewayApi, volcano, leaderWorkerSet } = prerequisites;
  const script = fixScript([
    finding("error", "the queue is closed", "vcctl queue operate --action open --name default"),
    finding("error", "PodGroup v1beta1 is not installed", volcano.install),
    finding("error", "Queue v1beta1 is not installed", volcano.install),
    finding("error", "LeaderWorkerSet v1 is not installed", leaderWorkerSet.install),
    finding("warning", "Gateway v1 is not installed", gatewayApi.install),
    finding("ok", "fine", "helm install nothing"),
    finding("ok", "also fine"),
  ]);
  expect(script).toBe(`# warning: Gateway v1 is not installed
${gatewayApi.install}

# error: LeaderWorkerSet v1 is not installed
${leaderWorkerSet.install}

# error: PodGroup v1beta1 is not installed
# error: Queue v1beta1 is not installed
${volcano.install}

# error: the queue is closed
vcctl queue operate --action open --name default
`);
});

it.each([
  ["kubectl describe -n a deployment/b", "# by hand: kubectl describe -n a deployment/b"],
  ["remove a field\nand restart", "# by hand: remove a field and restart"],
  ["kubectl scale -n a deployment/b --replicas 1", "kubectl scale -n a deployment/b --replicas 1"],
])("fixScript writes %j as %j", (fix, line) => {
  expect(fixScript([finding("error", "t\nkubectl delete ns x", fix)])).toBe(
    `# error: t kubectl delete ns x\n${line}\n`,
  );
});
