import { expect, it } from "vitest";
import { router, service, vllmTemplate, worker } from "../../../testing/samples/sample-service.ts";
import { planInferenceService } from "../../plan/inference-service.ts";

const tls = ["--model", "m", "--ssl-certfile", "/tls/tls.crt", "--ssl-keyfile", "/tls/tls.key"];

function planned(gateway: object | undefined, args: readonly string[] = tls) {
  const advice: string[] = [];
  const manifests = planInferenceService(
    service([worker({ template: vllmTemplate(8, { args }) }), router({ gateway })]),
    { onAdvice: ({ given }) => advice.push(given) },
  );
  const rules = manifests.filter(({ kind }) => kind === "DestinationRule");
  return { advice, rules, text: JSON.stringify(manifests) };
}

it("Istio connects over HTTPS to engines with TLS, and the picker reads their metrics over HTTPS", () => {
  const { advice, rules, text } = planned({ type: "istio" });
  expect(advice).toEqual([]);
  expect(rules.at(-1)?.spec).toEqual({
    // Name of the Service that Istio creates for the pool: `svc-pool`, `-ip-` and 8 digits of its SHA-256.
    host: "svc-pool-ip-1c10ff1e.default.svc.cluster.local",
    trafficPolicy: { tls: { mode: "SIMPLE", insecureSkipVerify: true } },
  });
  expect(text).toContain('\\"scheme\\": \\"https\\"');
});

it("engines without TLS add no DestinationRule", () => {
  const { rules, text } = planned({ type: "istio" }, ["--model", "m"]);
  expect(rules).toHaveLength(1);
  expect(text).not.toContain('\\"scheme\\": \\"https\\"');
});

it("a gateway of unknown type causes a warning for engines with TLS", () => {
  expect(planned(undefined).advice).toEqual([
    "start an engine with TLS, and it is unknown whether the gateway connects over HTTPS",
  ]);
});
