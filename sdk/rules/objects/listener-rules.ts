import { kinds } from "../../../kubernetes/kinds/index.ts";
import { groupKind } from "../../../kubernetes/kinds/kind.ts";
import { nearest } from "../../../scheduling/config/spelling.ts";
import { orList } from "../../errors.ts";
import type { GatewayShape } from "../../stack/shapes.ts";
import { specsOf, type TypedObject } from "../../stack/stack-object.ts";
import { rulesOfPack, type StackRule, type Subjects } from "../helpers/stack-rule.ts";

const { objectRule } = rulesOfPack("inference-routing");

const eachGateway: Subjects<TypedObject<GatewayShape>> = {
  of: (stack) => specsOf<GatewayShape>(stack, groupKind(kinds.Gateway)),
  needsPods: false,
};

const protocols = ["HTTP", "HTTPS", "TLS", "TCP", "UDP"];

/** Protocol of Istio's waypoint proxies. */
const istioProtocol = "HBONE";

const listenerProtocolIsKnown = objectRule(
  { id: "listener-protocol-is-known", code: "reference", level: "advisory" },
  {
    title: "A listener of a Gateway has a protocol of the Gateway API",
    why: "The API server accepts any word. The gateway rejects the listener (UnsupportedProtocol), so it serves no request.",
    source: "Gateway API, ProtocolType: other protocols have a domain prefix",
    fix: "Set protocol to HTTP, HTTPS, TLS, TCP or UDP.",
  },
  eachGateway,
  function* ({ spec, path }) {
    for (const [at, { protocol }] of (spec.listeners ?? []).entries()) {
      if (protocol === undefined || protocol.includes("/")) continue;
      if ([...protocols, istioProtocol].includes(protocol)) continue;
      const similar = nearest(protocol, protocols);
      yield {
        path: [...path, "listeners", at, "protocol"],
        given: `is ${JSON.stringify(protocol)}`,
        allowed: `${orList(protocols)}, or a protocol with a domain prefix`,
        fix: similar === undefined ? "Correct the protocol." : `Did you mean ${similar}?`,
      };
    }
  },
);

export const listenerRules: readonly StackRule[] = [listenerProtocolIsKnown];
