import { type CheckResult, forbidden, ok, warning } from "./check-result.ts";
import type { ClusterObservation } from "./observation.ts";

const check = "gateway-class";

/** Without an implementation of the Gateway API that has accepted a GatewayClass, no gateway serves a route. */
export function checkGatewayClasses({ gatewayClasses }: ClusterObservation): CheckResult[] {
  if (gatewayClasses.state === "forbidden")
    return [forbidden(check, "GatewayClasses", gatewayClasses)];
  // If the kind is absent, the finding on its CustomResourceDefinition is enough.
  if (gatewayClasses.state === "absent") return [];
  const names = (accepted: boolean) =>
    gatewayClasses.value
      .filter(
        ({ status }) =>
          (status?.conditions ?? []).some(
            ({ type, status: holds }) => type === "Accepted" && holds === "True",
          ) === accepted,
      )
      .map(({ metadata }) => metadata.name);
  const [taken, waiting] = [names(true), names(false)];
  if (taken.length > 0) return [ok(check, `usable GatewayClasses: ${taken.join(", ")}`)];
  return [
    warning(check, {
      title: "no GatewayClass is accepted by a controller",
      seen: `${waiting.length === 0 ? "none is installed" : `found ${waiting.join(", ")}, which no controller has accepted`}: no controller serves the gateways of routers`,
      fix: "install a gateway that serves InferencePools: https://gateway-api-inference-extension.sigs.k8s.io/implementations/gateways/",
    }),
  ];
}
