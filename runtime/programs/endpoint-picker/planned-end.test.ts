import { describe, expect, it } from "vitest";
import { planImportedPool } from "../../../sdk/plan/multi-cluster/imported-pool.ts";
import { planPool } from "../../../sdk/plan/pools/pool.ts";
import { pickerDrain } from "../../../sdk/spec/picker-drain.ts";
import { parseKind } from "../../../sdk/validate/spec-kind.ts";
import { importedPoolSpecKind, inferencePoolSpecKind } from "../../../sdk/validate/spec-kinds.ts";
import { servingFlags } from "../../epp/flags/serving.ts";

/** How a planned picker serves and ends. */

interface Deployment {
  readonly kind: string;
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly containers: ReadonlyArray<{
          readonly args: readonly string[];
          readonly livenessProbe: { readonly grpc: { readonly service: string } };
          readonly readinessProbe: { readonly grpc: { readonly service: string } };
        }>;
      };
    };
  };
}

function podOf(manifests: readonly object[]) {
  const found = (manifests as readonly Deployment[]).find(({ kind }) => kind === "Deployment");
  const { terminationGracePeriodSeconds: grace, containers } = found?.spec.template.spec ?? {};
  const [container] = containers ?? [];
  return { grace, container, args: container?.args ?? [] };
}

const planned = (endpointPicker: object) =>
  podOf(
    planPool(
      parseKind(inferencePoolSpecKind, {
        metadata: { name: "pool" },
        spec: { selector: { app: "m" }, endpointPicker },
      }),
    ),
  );

const seconds = (args: readonly string[], flag: string, otherwise: number) => {
  const given = args.find((arg) => arg.startsWith(`--${flag}=`));
  return given === undefined ? otherwise / 1000 : Number.parseInt(given.split("=")[1] ?? "", 10);
};

describe("a planned picker", () => {
  it.each([undefined, 1, 30, 7_200])(
    "C5: with drainSeconds %s the grace period is the sum of the drain window and the timeouts",
    (drainSeconds) => {
      const { grace, args } = planned({ drainSeconds });
      const window = seconds(args, "drain-timeout", servingFlags.flags.drainTimeoutMs.default);
      const answers = seconds(
        args,
        "shutdown-timeout",
        servingFlags.flags.shutdownTimeoutMs.default,
      );
      expect(answers).toBe(drainSeconds ?? 600);
      expect(grace).toBe(window + answers + pickerDrain.leaving);
    },
  );

  it("its probes check liveness and readiness by name", () => {
    const { container } = planned({});
    expect(container?.livenessProbe.grpc.service).toBe("liveness");
    expect(container?.readinessProbe.grpc.service).toBe("readiness");
  });

  it("it observes responses only if the spec requests it", () => {
    expect(planned({}).args.join(" ")).not.toContain("follow-responses");
    expect(planned({ followResponses: true }).args).toContain("--follow-responses=true");
  });

  it("it uses the default objective window unless the spec sets one", () => {
    expect(planned({}).args.join(" ")).not.toContain("objective-window");
    expect(planned({ objectiveWindowSeconds: 60 }).args).toContain("--objective-window=60s");
  });
});

it("a planned picker for an import has drainSeconds in its grace period and in --shutdown-timeout", () => {
  const { grace, args } = podOf(
    planImportedPool(
      parseKind(importedPoolSpecKind, {
        metadata: { name: "pool" },
        spec: {
          gateway: { type: "generic" },
          parentRefs: [{ name: "g" }],
          picker: { drainSeconds: 60 },
        },
      }),
    ),
  );
  expect(grace).toBe(30 + 60 + 10);
  expect(args).toContain("--shutdown-timeout=60s");
});
