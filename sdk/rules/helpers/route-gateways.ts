import { kinds } from "../../../kubernetes/kinds/index.ts";
import { groupKind } from "../../../kubernetes/kinds/kind.ts";
import { gatewayOfClass, type PoolGatewayType } from "../../gateways/index.ts";
import type { GatewayShape, RouteShape } from "../../stack/shapes.ts";
import type { Stack } from "../../stack/stack.ts";
import { specsOf, type TypedObject } from "../../stack/stack-object.ts";

/** A Gateway that a route names as its parent. */
export interface RouteGateway<Type> {
  /** `namespace/name`. */
  readonly name: string;
  /** GatewayClass; undefined if the Gateway is not in the stack. */
  readonly className: string | undefined;
  /** Implementation: as configured, or else as the GatewayClass implies. Undefined if neither is known. */
  readonly type: Type | PoolGatewayType | undefined;
}

/** Reference of a route to a Gateway. */
export interface Parent {
  readonly name: string;
  /** Default: the namespace of the route. */
  readonly namespace?: string | undefined;
}

/** Returns the Gateway that a reference in a namespace names; undefined if it is not in the stack. */
export const gatewayOfParent = (
  { name, namespace }: Parent,
  from: string,
  stack: Stack,
): TypedObject<GatewayShape> | undefined =>
  specsOf<GatewayShape>(stack, groupKind(kinds.Gateway)).find(
    (each) => each.name === name && each.namespace === (namespace ?? from),
  );

/**
 * Returns the gateways of a route.
 *
 * @param named implementations of Gateways that are not in the stack, by `namespace/name`
 */
export function gatewaysOfRoute<Type extends string>(
  { spec, namespace }: TypedObject<RouteShape>,
  stack: Stack,
  named: Readonly<Record<string, Type>>,
): RouteGateway<Type>[] {
  return (spec.parentRefs ?? []).map((parent) => {
    const name = `${parent.namespace ?? namespace}/${parent.name}`;
    const className = gatewayOfParent(parent, namespace, stack)?.spec.gatewayClassName;
    return { name, className, type: named[name] ?? gatewayOfClass(className ?? "") };
  });
}
