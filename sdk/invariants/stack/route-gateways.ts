import { gatewayOfClass, type PoolGatewayType } from "../../gateways/index.ts";
import type { GatewayShape, RouteShape } from "../../stack/shapes.ts";
import type { Stack } from "../../stack/stack.ts";
import { specsOf, type TypedObject } from "../../stack/stack-object.ts";

/** A Gateway that a route names as its parent. */
export interface RouteGateway<Type> {
  /** `namespace/name`. */
  readonly name: string;
  /** Its class; undefined if the Gateway is not in the stack. */
  readonly className: string | undefined;
  /** Its implementation: as configured, else as its class tells; undefined if neither does. */
  readonly type: Type | PoolGatewayType | undefined;
}

/**
 * The gateways of a route.
 *
 * @param named implementations of Gateways that are not in the stack, by `namespace/name`
 */
export function gatewaysOfRoute<Type extends string>(
  { spec, namespace }: TypedObject<RouteShape>,
  stack: Stack,
  named: Readonly<Record<string, Type>>,
): RouteGateway<Type>[] {
  const inStack = specsOf<GatewayShape>(stack, "gateway.networking.k8s.io/Gateway");
  return (spec.parentRefs ?? []).map((parent) => {
    const where = parent.namespace ?? namespace;
    const gateway = inStack.find((each) => each.name === parent.name && each.namespace === where);
    const name = `${where}/${parent.name}`;
    const className = gateway?.spec.gatewayClassName;
    return { name, className, type: named[name] ?? gatewayOfClass(className ?? "") };
  });
}
