import { groups } from "../../kubernetes/kinds/groups.ts";

/** A Gateway as policies name what they are about. */
export const gatewayTarget = (name: string) => ({ group: groups.gateway, kind: "Gateway", name });
