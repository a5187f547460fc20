import { groups } from "../../kubernetes/kinds/groups.ts";

/** Returns a reference to an HTTPRoute, as policies use it in `targetRefs`. */
export const routeTarget = (name: string) => ({ group: groups.gateway, kind: "HTTPRoute", name });

/** Returns a reference to a Gateway, as policies use it in `targetRefs`. */
export const gatewayTarget = (name: string) => ({ group: groups.gateway, kind: "Gateway", name });
